import DefaultTheme from 'vitepress/theme';
import { defineAsyncComponent } from 'vue';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component(
      'Playground',
      // Only its page needs the package.
      defineAsyncComponent(() => import('./playground.vue')),
    );
  },
};
