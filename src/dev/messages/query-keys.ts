/** The texts of the queries for TanStack Query. Nothing was sent when one of these is thrown. */
export const queryKeyMessages = {
  'query-address':
    "The address or the parameters of '{model}' have changed since this query was made, because `pathParams` or `extraParams` gives other values now. Nothing was sent: the answer would be cached for the earlier ones. Call `recordQuery` again, and use its new key",
};
