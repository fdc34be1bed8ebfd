namespace shop;
using { cuid, managed } from '@sap/cds/common';

aspect Person : managed {
  name   : String(60) @mandatory;
  email  : String(80) @assert.format: '^[^@ ]+@[^@ ]+$';
  age    : Integer @assert.range: [0, 150];
  team   : Integer;
  serial : Int64;
}
entity Users : Person { key id : Integer; }
entity NamedUsers : Person { key id : String(80); }
entity Items : cuid {
  title  : String(40);
  value  : String(40);
  amount : Decimal(30, 10);
  day    : Date;
  opens  : Time;
  done   : Boolean;
  owner  : Association to Users;
}

@path: '/odata/v4/shop'
service Shop {
  entity Users as projection on shop.Users;
  entity NamedUsers as projection on shop.NamedUsers;
  @cds.query.limit: { default: 2, max: 2 }
  entity Items as projection on shop.Items;
}
annotate Shop.Users with { @odata.etag modifiedAt };
annotate Shop.NamedUsers with { @odata.etag modifiedAt };
