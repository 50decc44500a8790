// Before anything is drawn: the colours the person chose, so that a dark page never begins as a white one.
{
  const chosen = localStorage.getItem('relay-colour-scheme');
  const dark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.mantineColorScheme = dark ? 'dark' : 'light';
}
