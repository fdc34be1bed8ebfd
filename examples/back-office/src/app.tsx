import { useMemo, useState, useSyncExternalStore } from 'react';
import { createBrowserRouter, Navigate, NavLink, Outlet, RouterProvider } from 'react-router';
import { createApi } from './api/models';
import { SignIn } from './api/sign-in';
import { CustomerPage, CustomersPage } from './pages/customers';
import { ErrorPage } from './pages/error';
import { NotFoundPage } from './pages/not-found';
import { NewOrderPage, OrderPage } from './pages/order';
import { OrdersPage } from './pages/orders';
import { ApiContext } from './parts/api-context';
import { SignInForm } from './parts/sign-in-form';
import { Waiting } from './parts/waiting';

const createRouter = (signOut: () => void) =>
  createBrowserRouter([
    {
      element: <Layout onSignOut={signOut} />,
      errorElement: <ErrorPage />,
      children: [
        { index: true, element: <Navigate to="/orders" replace /> },
        { path: 'orders', element: <OrdersPage /> },
        { path: 'orders/new', element: <NewOrderPage /> },
        { path: 'orders/:id', element: <OrderPage /> },
        { path: 'customers', element: <CustomersPage /> },
        { path: 'customers/:id', element: <CustomerPage /> },
        { path: '*', element: <NotFoundPage /> },
      ],
    },
  ]);

export function App() {
  const [signIn] = useState(() => new SignIn());
  const [router] = useState(() => createRouter(() => signIn.signOut()));
  const { name, ended } = useSyncExternalStore(signIn.subscribe, signIn.get);
  // Each user gets models and an outbox of their own.
  const api = useMemo(() => (name ? createApi(signIn) : undefined), [signIn, name]);
  if (!name || !api) return <SignInForm signIn={signIn} />;
  return (
    <ApiContext value={api}>
      {ended && (
        <dialog open aria-label="Sign in again">
          <SignInForm signIn={signIn} name={name} />
        </dialog>
      )}
      <RouterProvider router={router} />
    </ApiContext>
  );
}

function Layout({ onSignOut }: { onSignOut: () => void }) {
  return (
    <>
      <header>
        <nav aria-label="Main">
          <NavLink to="/orders">Orders</NavLink>
          <NavLink to="/customers">Customers</NavLink>
        </nav>
        <Waiting />
        <button type="button" onClick={onSignOut}>
          Sign out
        </button>
      </header>
      <main>
        <Outlet />
      </main>
    </>
  );
}
