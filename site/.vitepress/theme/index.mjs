import DefaultTheme from 'vitepress/theme';
import { defineAsyncComponent, toRaw } from 'vue';
import { searchOptions } from './search.mjs';
import { noticeWhileLoading } from './search-notice.mjs';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app, siteData }) {
    toRaw(siteData.value).themeConfig.search.options.miniSearch = { searchOptions };
    if (!import.meta.env.SSR) noticeWhileLoading();
    app.component(
      'Playground',
      // Only its page needs the package.
      defineAsyncComponent(() => import('./playground.vue')),
    );
  },
};
