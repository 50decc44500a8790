// VitePress's own theme with the fonts of the reader's system: nothing to fetch, and nothing to keep.
import theme from 'vitepress/theme-without-fonts';

export default theme;
