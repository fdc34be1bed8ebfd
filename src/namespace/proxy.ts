export { AjaxProxy as Ajax, AjaxProxy as Server } from '../proxy/ajax-proxy.js';
export { DataProxy as Proxy } from '../proxy/data-proxy.js';
export { MemoryProxy as Memory } from '../proxy/memory-proxy.js';
export { RestProxy as Rest } from '../proxy/rest-proxy.js';
