/** The texts of a grid's queries. Nothing has changed when one of these is thrown. */
export const gridMessages = {
  'query-grid': 'A store cannot apply {what} of AG Grid: {remedy}',
};
