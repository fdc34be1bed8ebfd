import path from 'node:path';
import {
  createCompilerHost,
  formatDiagnostics,
  type Program,
  performCompilation,
  readConfiguration,
} from '@angular/compiler-cli';
import type ts from 'typescript';
import type { Plugin } from 'vite';

const screens = path.join(import.meta.dirname, 'screens/angular');
const example = path.resolve(import.meta.dirname, '../../examples/angular/src');

/** A Vite plugin that compiles a screen ahead of time by Angular's own compiler. It checks templates; a test checks the other types. */
export function angular(screen: string): Plugin {
  const file = screen.endsWith('.ts') ? screen : `${screen}.ts`;
  const compiled = new Map<string, string>();
  return {
    name: 'angular',
    enforce: 'pre',
    buildStart() {
      const options = { ...readConfiguration(path.join(screens, 'tsconfig.json')).options, noEmit: false };
      const host = createCompilerHost({ options });
      host.writeFile = (_name, text, _mark, _onError, sources) => {
        for (const { fileName } of sources ?? []) compiled.set(path.normalize(fileName), text);
      };
      const { diagnostics } = performCompilation({
        rootNames: [file, path.join(screens, 'mount.ts')],
        options,
        host,
        gatherDiagnostics: mistakesOf,
        // Vite compiles the sources of Repose, which contain nothing of Angular's.
        emitCallback: ({ program, targetSourceFile, writeFile, customTransformers }) =>
          targetSourceFile &&
          [screens, example].some((folder) => path.normalize(targetSourceFile.fileName).startsWith(folder))
            ? program.emit(targetSourceFile, writeFile, undefined, false, customTransformers)
            : { emitSkipped: true, diagnostics: [] },
      });
      if (diagnostics.length > 0) this.error(formatDiagnostics(diagnostics));
    },
    load: (id) => compiled.get(id),
  };
}

/** Mistakes in the screen. A check of all types would include the sources of Repose, and take several times longer. */
function mistakesOf(program: Program): readonly ts.Diagnostic[] {
  return [
    ...program.getNgOptionDiagnostics(),
    ...program.getTsSyntacticDiagnostics(),
    ...program.getNgStructuralDiagnostics(),
    ...program.getNgSemanticDiagnostics(),
  ];
}
