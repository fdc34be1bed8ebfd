/** The texts of the queries for TanStack Query. Nothing was sent when one of these is thrown. */
export const queryKeyMessages = {
  'query-address':
    "The address of '{model}' has changed since this query was made, because `pathParams` gives other values now. Nothing was sent: the answer would be cached for the earlier address. Call `recordQuery` again, and use its new key",
};
