/** The scripts `test:*` that `npm test` leaves out. */
export const notRun: readonly string[];
