import { Link } from 'react-router';

export function NotFoundPage({ what = 'such a page' }: { what?: string }) {
  return (
    <>
      <h1>Not found</h1>
      <p>There is not {what}.</p>
      <Link to="/orders">To the orders</Link>
    </>
  );
}
