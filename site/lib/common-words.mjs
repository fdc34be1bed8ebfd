/** Words that every page has. A question is found by its other words. */
export const COMMON = new Set(
  'a an and are as at be because but by can do does for from get has have how i if in into is it its me my of on or our please so than that the their them then there this to use want we what when where which who why will with without you your'.split(
    ' ',
  ),
);
