import react from '@vitejs/plugin-react';

// Two builds write to `dist`: `main.js` for the page, and `server.js`.
export default {
  plugins: [react()],
  build: {
    emptyOutDir: false,
    rolldownOptions: { input: 'src/main.tsx', output: { entryFileNames: '[name].js' } },
  },
};
