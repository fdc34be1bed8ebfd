import fc from 'fast-check';

/** The tests get this module for `fast-check`: see `fixedSeed` in `vitest.config.ts`. */
fc.configureGlobal({ seed: Number(process.env['REPOSE_SEED'] ?? 1) });

export * from 'fast-check';
export default fc;
