/** The text of a file, by `import text from './file.ts?raw'`. */
declare module '*?raw' {
  const text: string;
  export default text;
}

declare module '*.css';
