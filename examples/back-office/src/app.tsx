import { useEffect, useState, useSyncExternalStore } from 'react';
import { createBrowserRouter, Navigate, NavLink, Outlet, RouterProvider, redirect, useNavigate } from 'react-router';
import { type Api, createApi } from './api/models';
import { SignIn } from './api/sign-in';
import { CustomerPage, CustomersPage } from './pages/customers';
import { ErrorPage } from './pages/error';
import { NotFoundPage } from './pages/not-found';
import { NewOrderPage, OrderPage } from './pages/order';
import { OrdersPage } from './pages/orders';
import { ApiContext } from './parts/api-context';
import { SignInForm } from './parts/sign-in-form';
import { Waiting } from './parts/waiting';

const createRouter = (signIn: SignIn) =>
  createBrowserRouter([
    {
      element: <Layout />,
      errorElement: <ErrorPage />,
      children: [
        { index: true, element: <Navigate to="/orders" replace /> },
        { path: 'orders', element: <OrdersPage /> },
        { path: 'orders/new', element: <NewOrderPage /> },
        { path: 'orders/:id', element: <OrderPage /> },
        { path: 'customers', element: <CustomersPage /> },
        { path: 'customers/:id', element: <CustomerPage /> },
        {
          // An address of its own, so that the guard of unsaved changes asks before this page is left, too.
          path: 'sign-out',
          loader: () => {
            signIn.signOut();
            return redirect('/');
          },
        },
        { path: '*', element: <NotFoundPage /> },
      ],
    },
  ]);

export function App() {
  const [signIn] = useState(() => new SignIn());
  const [router] = useState(() => createRouter(signIn));
  const { name, ended } = useSyncExternalStore(signIn.subscribe, signIn.get);
  const api = useApiOf(signIn, name);
  if (!name) return <SignInForm signIn={signIn} />;
  if (api?.user !== name) return null;
  return (
    <ApiContext value={api}>
      {ended && (
        <dialog open aria-label="Sign in again">
          <SignInForm signIn={signIn} name={name} onSignOut={() => router.navigate('/sign-out')} />
        </dialog>
      )}
      <RouterProvider router={router} />
    </ApiContext>
  );
}

/** The models and the outbox of the user. They are made anew after a sign-out, so that nobody sees or sends what is of somebody else. */
function useApiOf(signIn: SignIn, name: string | undefined): Api | undefined {
  const [api, setApi] = useState<Api>();
  useEffect(() => {
    if (!name) return undefined;
    const made = createApi(signIn);
    setApi(made);
    return () => {
      setApi(undefined);
      // It stops sending. What it has stored goes on when this user signs in again.
      made.outbox.close().catch(() => undefined);
    };
  }, [signIn, name]);
  return api;
}

function Layout() {
  const navigate = useNavigate();
  return (
    <>
      <header>
        <nav aria-label="Main">
          <NavLink to="/orders">Orders</NavLink>
          <NavLink to="/customers">Customers</NavLink>
        </nav>
        <Waiting />
        <button type="button" onClick={() => navigate('/sign-out')}>
          Sign out
        </button>
      </header>
      <main>
        <Outlet />
      </main>
    </>
  );
}
