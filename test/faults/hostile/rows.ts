import type { Random } from '../random.js';
import type { Members } from './exact-json.js';
import type { KindName } from './kinds.js';

/** Members that the server adds to a new row, some of them with numbers that JavaScript cannot hold. */
export function defaultsOf(kind: KindName, number: number, long: boolean, random: Random): Members {
  const digits = String(random.integer(1000, 9999));
  return {
    tag: JSON.stringify(`tag ${number}`),
    big: long ? `12345678901234${digits}1` : digits,
    price: long ? `1234567890123456.7${digits}` : `1.${digits}`,
    count: long ? '9007199254740993' : digits,
    j: `{"name":"name ${number}","at":${long ? `15418156036060${digits}0` : digits},"list":[${long ? '1e400,0.1234567890123456789' : '1,2'},null]}`,
    owner: JSON.stringify(`owner of ${kind} ${number}`),
    serial: long ? `900719925474${digits}3` : digits,
    audit: `{"by":"server","steps":[${long ? `90071992547${digits}1.25` : digits},"1.50"]}`,
  };
}
