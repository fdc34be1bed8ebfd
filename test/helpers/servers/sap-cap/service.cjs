// biome-ignore lint/correctness/noUndeclaredDependencies: the data folder of the server has it
const cds = require('@sap/cds');

// Numbers new users, as a database with a sequence would.
module.exports = class Shop extends cds.ApplicationService {
  init() {
    this.before('CREATE', 'Users', async (request) => {
      if (request.data.id != null) return;
      const { last } = await SELECT.one`max(id) as last`.from('shop.Users');
      request.data.id = last + 1;
    });
    return super.init();
  }
};
