// Without `runes`, a component that uses no rune is compiled as in Svelte 4, and renders its whole list again.
export default { compilerOptions: { runes: true } };
