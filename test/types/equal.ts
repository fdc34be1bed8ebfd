/** Whether two types are exactly the same; `any` equals only itself. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles for `true` only. */
export const check = <_T extends true>(): void => {};
/** Compiles for a value of exactly the type. */
export const is =
  <T>() =>
  <U>(_: U, ..._ok: Equal<T, U> extends true ? [] : [never]): void => {};
