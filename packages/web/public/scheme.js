// Sets the chosen colour scheme before the first paint, so that a dark page never flashes white.
{
  const chosen = localStorage.getItem('relay-colour-scheme');
  const dark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.mantineColorScheme = dark ? 'dark' : 'light';
}
