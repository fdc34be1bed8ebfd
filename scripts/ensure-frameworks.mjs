// Installs the packages of test/frameworks unless they are there: a global set-up of vitest.
import { ensurePackages } from './ensure-packages.mjs';

export default () => ensurePackages('test/frameworks');
