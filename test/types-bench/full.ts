import { Model, Store } from 'repose';
export class M0 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m0' } }) {}
export const s0 = new Store({ model: M0, sorters: ['f0'] });
export const v0: string | undefined = (await M0.load(1)).get('f0');
export class M1 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m1' } }) {}
export const s1 = new Store({ model: M1, sorters: ['f0'] });
export const v1: string | undefined = (await M1.load(1)).get('f0');
export class M2 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m2' } }) {}
export const s2 = new Store({ model: M2, sorters: ['f0'] });
export const v2: string | undefined = (await M2.load(1)).get('f0');
export class M3 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m3' } }) {}
export const s3 = new Store({ model: M3, sorters: ['f0'] });
export const v3: string | undefined = (await M3.load(1)).get('f0');
export class M4 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m4' } }) {}
export const s4 = new Store({ model: M4, sorters: ['f0'] });
export const v4: string | undefined = (await M4.load(1)).get('f0');
export class M5 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m5' } }) {}
export const s5 = new Store({ model: M5, sorters: ['f0'] });
export const v5: string | undefined = (await M5.load(1)).get('f0');
export class M6 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m6' } }) {}
export const s6 = new Store({ model: M6, sorters: ['f0'] });
export const v6: string | undefined = (await M6.load(1)).get('f0');
export class M7 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m7' } }) {}
export const s7 = new Store({ model: M7, sorters: ['f0'] });
export const v7: string | undefined = (await M7.load(1)).get('f0');
export class M8 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m8' } }) {}
export const s8 = new Store({ model: M8, sorters: ['f0'] });
export const v8: string | undefined = (await M8.load(1)).get('f0');
export class M9 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m9' } }) {}
export const s9 = new Store({ model: M9, sorters: ['f0'] });
export const v9: string | undefined = (await M9.load(1)).get('f0');
export class M10 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m10' } }) {}
export const s10 = new Store({ model: M10, sorters: ['f0'] });
export const v10: string | undefined = (await M10.load(1)).get('f0');
export class M11 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m11' } }) {}
export const s11 = new Store({ model: M11, sorters: ['f0'] });
export const v11: string | undefined = (await M11.load(1)).get('f0');
export class M12 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m12' } }) {}
export const s12 = new Store({ model: M12, sorters: ['f0'] });
export const v12: string | undefined = (await M12.load(1)).get('f0');
export class M13 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m13' } }) {}
export const s13 = new Store({ model: M13, sorters: ['f0'] });
export const v13: string | undefined = (await M13.load(1)).get('f0');
export class M14 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m14' } }) {}
export const s14 = new Store({ model: M14, sorters: ['f0'] });
export const v14: string | undefined = (await M14.load(1)).get('f0');
export class M15 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m15' } }) {}
export const s15 = new Store({ model: M15, sorters: ['f0'] });
export const v15: string | undefined = (await M15.load(1)).get('f0');
export class M16 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m16' } }) {}
export const s16 = new Store({ model: M16, sorters: ['f0'] });
export const v16: string | undefined = (await M16.load(1)).get('f0');
export class M17 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m17' } }) {}
export const s17 = new Store({ model: M17, sorters: ['f0'] });
export const v17: string | undefined = (await M17.load(1)).get('f0');
export class M18 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m18' } }) {}
export const s18 = new Store({ model: M18, sorters: ['f0'] });
export const v18: string | undefined = (await M18.load(1)).get('f0');
export class M19 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m19' } }) {}
export const s19 = new Store({ model: M19, sorters: ['f0'] });
export const v19: string | undefined = (await M19.load(1)).get('f0');
export class M20 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m20' } }) {}
export const s20 = new Store({ model: M20, sorters: ['f0'] });
export const v20: string | undefined = (await M20.load(1)).get('f0');
export class M21 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m21' } }) {}
export const s21 = new Store({ model: M21, sorters: ['f0'] });
export const v21: string | undefined = (await M21.load(1)).get('f0');
export class M22 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m22' } }) {}
export const s22 = new Store({ model: M22, sorters: ['f0'] });
export const v22: string | undefined = (await M22.load(1)).get('f0');
export class M23 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m23' } }) {}
export const s23 = new Store({ model: M23, sorters: ['f0'] });
export const v23: string | undefined = (await M23.load(1)).get('f0');
export class M24 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m24' } }) {}
export const s24 = new Store({ model: M24, sorters: ['f0'] });
export const v24: string | undefined = (await M24.load(1)).get('f0');
export class M25 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m25' } }) {}
export const s25 = new Store({ model: M25, sorters: ['f0'] });
export const v25: string | undefined = (await M25.load(1)).get('f0');
export class M26 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m26' } }) {}
export const s26 = new Store({ model: M26, sorters: ['f0'] });
export const v26: string | undefined = (await M26.load(1)).get('f0');
export class M27 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m27' } }) {}
export const s27 = new Store({ model: M27, sorters: ['f0'] });
export const v27: string | undefined = (await M27.load(1)).get('f0');
export class M28 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m28' } }) {}
export const s28 = new Store({ model: M28, sorters: ['f0'] });
export const v28: string | undefined = (await M28.load(1)).get('f0');
export class M29 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m29' } }) {}
export const s29 = new Store({ model: M29, sorters: ['f0'] });
export const v29: string | undefined = (await M29.load(1)).get('f0');
export class M30 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m30' } }) {}
export const s30 = new Store({ model: M30, sorters: ['f0'] });
export const v30: string | undefined = (await M30.load(1)).get('f0');
export class M31 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m31' } }) {}
export const s31 = new Store({ model: M31, sorters: ['f0'] });
export const v31: string | undefined = (await M31.load(1)).get('f0');
export class M32 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m32' } }) {}
export const s32 = new Store({ model: M32, sorters: ['f0'] });
export const v32: string | undefined = (await M32.load(1)).get('f0');
export class M33 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m33' } }) {}
export const s33 = new Store({ model: M33, sorters: ['f0'] });
export const v33: string | undefined = (await M33.load(1)).get('f0');
export class M34 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m34' } }) {}
export const s34 = new Store({ model: M34, sorters: ['f0'] });
export const v34: string | undefined = (await M34.load(1)).get('f0');
export class M35 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m35' } }) {}
export const s35 = new Store({ model: M35, sorters: ['f0'] });
export const v35: string | undefined = (await M35.load(1)).get('f0');
export class M36 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m36' } }) {}
export const s36 = new Store({ model: M36, sorters: ['f0'] });
export const v36: string | undefined = (await M36.load(1)).get('f0');
export class M37 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m37' } }) {}
export const s37 = new Store({ model: M37, sorters: ['f0'] });
export const v37: string | undefined = (await M37.load(1)).get('f0');
export class M38 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m38' } }) {}
export const s38 = new Store({ model: M38, sorters: ['f0'] });
export const v38: string | undefined = (await M38.load(1)).get('f0');
export class M39 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m39' } }) {}
export const s39 = new Store({ model: M39, sorters: ['f0'] });
export const v39: string | undefined = (await M39.load(1)).get('f0');
export class M40 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m40' } }) {}
export const s40 = new Store({ model: M40, sorters: ['f0'] });
export const v40: string | undefined = (await M40.load(1)).get('f0');
export class M41 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m41' } }) {}
export const s41 = new Store({ model: M41, sorters: ['f0'] });
export const v41: string | undefined = (await M41.load(1)).get('f0');
export class M42 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m42' } }) {}
export const s42 = new Store({ model: M42, sorters: ['f0'] });
export const v42: string | undefined = (await M42.load(1)).get('f0');
export class M43 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m43' } }) {}
export const s43 = new Store({ model: M43, sorters: ['f0'] });
export const v43: string | undefined = (await M43.load(1)).get('f0');
export class M44 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m44' } }) {}
export const s44 = new Store({ model: M44, sorters: ['f0'] });
export const v44: string | undefined = (await M44.load(1)).get('f0');
export class M45 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m45' } }) {}
export const s45 = new Store({ model: M45, sorters: ['f0'] });
export const v45: string | undefined = (await M45.load(1)).get('f0');
export class M46 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m46' } }) {}
export const s46 = new Store({ model: M46, sorters: ['f0'] });
export const v46: string | undefined = (await M46.load(1)).get('f0');
export class M47 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m47' } }) {}
export const s47 = new Store({ model: M47, sorters: ['f0'] });
export const v47: string | undefined = (await M47.load(1)).get('f0');
export class M48 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m48' } }) {}
export const s48 = new Store({ model: M48, sorters: ['f0'] });
export const v48: string | undefined = (await M48.load(1)).get('f0');
export class M49 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m49' } }) {}
export const s49 = new Store({ model: M49, sorters: ['f0'] });
export const v49: string | undefined = (await M49.load(1)).get('f0');
export class M50 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m50' } }) {}
export const s50 = new Store({ model: M50, sorters: ['f0'] });
export const v50: string | undefined = (await M50.load(1)).get('f0');
export class M51 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m51' } }) {}
export const s51 = new Store({ model: M51, sorters: ['f0'] });
export const v51: string | undefined = (await M51.load(1)).get('f0');
export class M52 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m52' } }) {}
export const s52 = new Store({ model: M52, sorters: ['f0'] });
export const v52: string | undefined = (await M52.load(1)).get('f0');
export class M53 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m53' } }) {}
export const s53 = new Store({ model: M53, sorters: ['f0'] });
export const v53: string | undefined = (await M53.load(1)).get('f0');
export class M54 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m54' } }) {}
export const s54 = new Store({ model: M54, sorters: ['f0'] });
export const v54: string | undefined = (await M54.load(1)).get('f0');
export class M55 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m55' } }) {}
export const s55 = new Store({ model: M55, sorters: ['f0'] });
export const v55: string | undefined = (await M55.load(1)).get('f0');
export class M56 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m56' } }) {}
export const s56 = new Store({ model: M56, sorters: ['f0'] });
export const v56: string | undefined = (await M56.load(1)).get('f0');
export class M57 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m57' } }) {}
export const s57 = new Store({ model: M57, sorters: ['f0'] });
export const v57: string | undefined = (await M57.load(1)).get('f0');
export class M58 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m58' } }) {}
export const s58 = new Store({ model: M58, sorters: ['f0'] });
export const v58: string | undefined = (await M58.load(1)).get('f0');
export class M59 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m59' } }) {}
export const s59 = new Store({ model: M59, sorters: ['f0'] });
export const v59: string | undefined = (await M59.load(1)).get('f0');
export class M60 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m60' } }) {}
export const s60 = new Store({ model: M60, sorters: ['f0'] });
export const v60: string | undefined = (await M60.load(1)).get('f0');
export class M61 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m61' } }) {}
export const s61 = new Store({ model: M61, sorters: ['f0'] });
export const v61: string | undefined = (await M61.load(1)).get('f0');
export class M62 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m62' } }) {}
export const s62 = new Store({ model: M62, sorters: ['f0'] });
export const v62: string | undefined = (await M62.load(1)).get('f0');
export class M63 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m63' } }) {}
export const s63 = new Store({ model: M63, sorters: ['f0'] });
export const v63: string | undefined = (await M63.load(1)).get('f0');
export class M64 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m64' } }) {}
export const s64 = new Store({ model: M64, sorters: ['f0'] });
export const v64: string | undefined = (await M64.load(1)).get('f0');
export class M65 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m65' } }) {}
export const s65 = new Store({ model: M65, sorters: ['f0'] });
export const v65: string | undefined = (await M65.load(1)).get('f0');
export class M66 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m66' } }) {}
export const s66 = new Store({ model: M66, sorters: ['f0'] });
export const v66: string | undefined = (await M66.load(1)).get('f0');
export class M67 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m67' } }) {}
export const s67 = new Store({ model: M67, sorters: ['f0'] });
export const v67: string | undefined = (await M67.load(1)).get('f0');
export class M68 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m68' } }) {}
export const s68 = new Store({ model: M68, sorters: ['f0'] });
export const v68: string | undefined = (await M68.load(1)).get('f0');
export class M69 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m69' } }) {}
export const s69 = new Store({ model: M69, sorters: ['f0'] });
export const v69: string | undefined = (await M69.load(1)).get('f0');
export class M70 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m70' } }) {}
export const s70 = new Store({ model: M70, sorters: ['f0'] });
export const v70: string | undefined = (await M70.load(1)).get('f0');
export class M71 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m71' } }) {}
export const s71 = new Store({ model: M71, sorters: ['f0'] });
export const v71: string | undefined = (await M71.load(1)).get('f0');
export class M72 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m72' } }) {}
export const s72 = new Store({ model: M72, sorters: ['f0'] });
export const v72: string | undefined = (await M72.load(1)).get('f0');
export class M73 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m73' } }) {}
export const s73 = new Store({ model: M73, sorters: ['f0'] });
export const v73: string | undefined = (await M73.load(1)).get('f0');
export class M74 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m74' } }) {}
export const s74 = new Store({ model: M74, sorters: ['f0'] });
export const v74: string | undefined = (await M74.load(1)).get('f0');
export class M75 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m75' } }) {}
export const s75 = new Store({ model: M75, sorters: ['f0'] });
export const v75: string | undefined = (await M75.load(1)).get('f0');
export class M76 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m76' } }) {}
export const s76 = new Store({ model: M76, sorters: ['f0'] });
export const v76: string | undefined = (await M76.load(1)).get('f0');
export class M77 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m77' } }) {}
export const s77 = new Store({ model: M77, sorters: ['f0'] });
export const v77: string | undefined = (await M77.load(1)).get('f0');
export class M78 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m78' } }) {}
export const s78 = new Store({ model: M78, sorters: ['f0'] });
export const v78: string | undefined = (await M78.load(1)).get('f0');
export class M79 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m79' } }) {}
export const s79 = new Store({ model: M79, sorters: ['f0'] });
export const v79: string | undefined = (await M79.load(1)).get('f0');
export class M80 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m80' } }) {}
export const s80 = new Store({ model: M80, sorters: ['f0'] });
export const v80: string | undefined = (await M80.load(1)).get('f0');
export class M81 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m81' } }) {}
export const s81 = new Store({ model: M81, sorters: ['f0'] });
export const v81: string | undefined = (await M81.load(1)).get('f0');
export class M82 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m82' } }) {}
export const s82 = new Store({ model: M82, sorters: ['f0'] });
export const v82: string | undefined = (await M82.load(1)).get('f0');
export class M83 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m83' } }) {}
export const s83 = new Store({ model: M83, sorters: ['f0'] });
export const v83: string | undefined = (await M83.load(1)).get('f0');
export class M84 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m84' } }) {}
export const s84 = new Store({ model: M84, sorters: ['f0'] });
export const v84: string | undefined = (await M84.load(1)).get('f0');
export class M85 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m85' } }) {}
export const s85 = new Store({ model: M85, sorters: ['f0'] });
export const v85: string | undefined = (await M85.load(1)).get('f0');
export class M86 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m86' } }) {}
export const s86 = new Store({ model: M86, sorters: ['f0'] });
export const v86: string | undefined = (await M86.load(1)).get('f0');
export class M87 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m87' } }) {}
export const s87 = new Store({ model: M87, sorters: ['f0'] });
export const v87: string | undefined = (await M87.load(1)).get('f0');
export class M88 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m88' } }) {}
export const s88 = new Store({ model: M88, sorters: ['f0'] });
export const v88: string | undefined = (await M88.load(1)).get('f0');
export class M89 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m89' } }) {}
export const s89 = new Store({ model: M89, sorters: ['f0'] });
export const v89: string | undefined = (await M89.load(1)).get('f0');
export class M90 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m90' } }) {}
export const s90 = new Store({ model: M90, sorters: ['f0'] });
export const v90: string | undefined = (await M90.load(1)).get('f0');
export class M91 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m91' } }) {}
export const s91 = new Store({ model: M91, sorters: ['f0'] });
export const v91: string | undefined = (await M91.load(1)).get('f0');
export class M92 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m92' } }) {}
export const s92 = new Store({ model: M92, sorters: ['f0'] });
export const v92: string | undefined = (await M92.load(1)).get('f0');
export class M93 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m93' } }) {}
export const s93 = new Store({ model: M93, sorters: ['f0'] });
export const v93: string | undefined = (await M93.load(1)).get('f0');
export class M94 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m94' } }) {}
export const s94 = new Store({ model: M94, sorters: ['f0'] });
export const v94: string | undefined = (await M94.load(1)).get('f0');
export class M95 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m95' } }) {}
export const s95 = new Store({ model: M95, sorters: ['f0'] });
export const v95: string | undefined = (await M95.load(1)).get('f0');
export class M96 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m96' } }) {}
export const s96 = new Store({ model: M96, sorters: ['f0'] });
export const v96: string | undefined = (await M96.load(1)).get('f0');
export class M97 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m97' } }) {}
export const s97 = new Store({ model: M97, sorters: ['f0'] });
export const v97: string | undefined = (await M97.load(1)).get('f0');
export class M98 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m98' } }) {}
export const s98 = new Store({ model: M98, sorters: ['f0'] });
export const v98: string | undefined = (await M98.load(1)).get('f0');
export class M99 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m99' } }) {}
export const s99 = new Store({ model: M99, sorters: ['f0'] });
export const v99: string | undefined = (await M99.load(1)).get('f0');
export class M100 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m100' } }) {}
export const s100 = new Store({ model: M100, sorters: ['f0'] });
export const v100: string | undefined = (await M100.load(1)).get('f0');
export class M101 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m101' } }) {}
export const s101 = new Store({ model: M101, sorters: ['f0'] });
export const v101: string | undefined = (await M101.load(1)).get('f0');
export class M102 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m102' } }) {}
export const s102 = new Store({ model: M102, sorters: ['f0'] });
export const v102: string | undefined = (await M102.load(1)).get('f0');
export class M103 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m103' } }) {}
export const s103 = new Store({ model: M103, sorters: ['f0'] });
export const v103: string | undefined = (await M103.load(1)).get('f0');
export class M104 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m104' } }) {}
export const s104 = new Store({ model: M104, sorters: ['f0'] });
export const v104: string | undefined = (await M104.load(1)).get('f0');
export class M105 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m105' } }) {}
export const s105 = new Store({ model: M105, sorters: ['f0'] });
export const v105: string | undefined = (await M105.load(1)).get('f0');
export class M106 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m106' } }) {}
export const s106 = new Store({ model: M106, sorters: ['f0'] });
export const v106: string | undefined = (await M106.load(1)).get('f0');
export class M107 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m107' } }) {}
export const s107 = new Store({ model: M107, sorters: ['f0'] });
export const v107: string | undefined = (await M107.load(1)).get('f0');
export class M108 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m108' } }) {}
export const s108 = new Store({ model: M108, sorters: ['f0'] });
export const v108: string | undefined = (await M108.load(1)).get('f0');
export class M109 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m109' } }) {}
export const s109 = new Store({ model: M109, sorters: ['f0'] });
export const v109: string | undefined = (await M109.load(1)).get('f0');
export class M110 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m110' } }) {}
export const s110 = new Store({ model: M110, sorters: ['f0'] });
export const v110: string | undefined = (await M110.load(1)).get('f0');
export class M111 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m111' } }) {}
export const s111 = new Store({ model: M111, sorters: ['f0'] });
export const v111: string | undefined = (await M111.load(1)).get('f0');
export class M112 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m112' } }) {}
export const s112 = new Store({ model: M112, sorters: ['f0'] });
export const v112: string | undefined = (await M112.load(1)).get('f0');
export class M113 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m113' } }) {}
export const s113 = new Store({ model: M113, sorters: ['f0'] });
export const v113: string | undefined = (await M113.load(1)).get('f0');
export class M114 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m114' } }) {}
export const s114 = new Store({ model: M114, sorters: ['f0'] });
export const v114: string | undefined = (await M114.load(1)).get('f0');
export class M115 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m115' } }) {}
export const s115 = new Store({ model: M115, sorters: ['f0'] });
export const v115: string | undefined = (await M115.load(1)).get('f0');
export class M116 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m116' } }) {}
export const s116 = new Store({ model: M116, sorters: ['f0'] });
export const v116: string | undefined = (await M116.load(1)).get('f0');
export class M117 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m117' } }) {}
export const s117 = new Store({ model: M117, sorters: ['f0'] });
export const v117: string | undefined = (await M117.load(1)).get('f0');
export class M118 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m118' } }) {}
export const s118 = new Store({ model: M118, sorters: ['f0'] });
export const v118: string | undefined = (await M118.load(1)).get('f0');
export class M119 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m119' } }) {}
export const s119 = new Store({ model: M119, sorters: ['f0'] });
export const v119: string | undefined = (await M119.load(1)).get('f0');
export class M120 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m120' } }) {}
export const s120 = new Store({ model: M120, sorters: ['f0'] });
export const v120: string | undefined = (await M120.load(1)).get('f0');
export class M121 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m121' } }) {}
export const s121 = new Store({ model: M121, sorters: ['f0'] });
export const v121: string | undefined = (await M121.load(1)).get('f0');
export class M122 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m122' } }) {}
export const s122 = new Store({ model: M122, sorters: ['f0'] });
export const v122: string | undefined = (await M122.load(1)).get('f0');
export class M123 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m123' } }) {}
export const s123 = new Store({ model: M123, sorters: ['f0'] });
export const v123: string | undefined = (await M123.load(1)).get('f0');
export class M124 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m124' } }) {}
export const s124 = new Store({ model: M124, sorters: ['f0'] });
export const v124: string | undefined = (await M124.load(1)).get('f0');
export class M125 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m125' } }) {}
export const s125 = new Store({ model: M125, sorters: ['f0'] });
export const v125: string | undefined = (await M125.load(1)).get('f0');
export class M126 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m126' } }) {}
export const s126 = new Store({ model: M126, sorters: ['f0'] });
export const v126: string | undefined = (await M126.load(1)).get('f0');
export class M127 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m127' } }) {}
export const s127 = new Store({ model: M127, sorters: ['f0'] });
export const v127: string | undefined = (await M127.load(1)).get('f0');
export class M128 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m128' } }) {}
export const s128 = new Store({ model: M128, sorters: ['f0'] });
export const v128: string | undefined = (await M128.load(1)).get('f0');
export class M129 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m129' } }) {}
export const s129 = new Store({ model: M129, sorters: ['f0'] });
export const v129: string | undefined = (await M129.load(1)).get('f0');
export class M130 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m130' } }) {}
export const s130 = new Store({ model: M130, sorters: ['f0'] });
export const v130: string | undefined = (await M130.load(1)).get('f0');
export class M131 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m131' } }) {}
export const s131 = new Store({ model: M131, sorters: ['f0'] });
export const v131: string | undefined = (await M131.load(1)).get('f0');
export class M132 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m132' } }) {}
export const s132 = new Store({ model: M132, sorters: ['f0'] });
export const v132: string | undefined = (await M132.load(1)).get('f0');
export class M133 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m133' } }) {}
export const s133 = new Store({ model: M133, sorters: ['f0'] });
export const v133: string | undefined = (await M133.load(1)).get('f0');
export class M134 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m134' } }) {}
export const s134 = new Store({ model: M134, sorters: ['f0'] });
export const v134: string | undefined = (await M134.load(1)).get('f0');
export class M135 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m135' } }) {}
export const s135 = new Store({ model: M135, sorters: ['f0'] });
export const v135: string | undefined = (await M135.load(1)).get('f0');
export class M136 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m136' } }) {}
export const s136 = new Store({ model: M136, sorters: ['f0'] });
export const v136: string | undefined = (await M136.load(1)).get('f0');
export class M137 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m137' } }) {}
export const s137 = new Store({ model: M137, sorters: ['f0'] });
export const v137: string | undefined = (await M137.load(1)).get('f0');
export class M138 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m138' } }) {}
export const s138 = new Store({ model: M138, sorters: ['f0'] });
export const v138: string | undefined = (await M138.load(1)).get('f0');
export class M139 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m139' } }) {}
export const s139 = new Store({ model: M139, sorters: ['f0'] });
export const v139: string | undefined = (await M139.load(1)).get('f0');
export class M140 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m140' } }) {}
export const s140 = new Store({ model: M140, sorters: ['f0'] });
export const v140: string | undefined = (await M140.load(1)).get('f0');
export class M141 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m141' } }) {}
export const s141 = new Store({ model: M141, sorters: ['f0'] });
export const v141: string | undefined = (await M141.load(1)).get('f0');
export class M142 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m142' } }) {}
export const s142 = new Store({ model: M142, sorters: ['f0'] });
export const v142: string | undefined = (await M142.load(1)).get('f0');
export class M143 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m143' } }) {}
export const s143 = new Store({ model: M143, sorters: ['f0'] });
export const v143: string | undefined = (await M143.load(1)).get('f0');
export class M144 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m144' } }) {}
export const s144 = new Store({ model: M144, sorters: ['f0'] });
export const v144: string | undefined = (await M144.load(1)).get('f0');
export class M145 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m145' } }) {}
export const s145 = new Store({ model: M145, sorters: ['f0'] });
export const v145: string | undefined = (await M145.load(1)).get('f0');
export class M146 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m146' } }) {}
export const s146 = new Store({ model: M146, sorters: ['f0'] });
export const v146: string | undefined = (await M146.load(1)).get('f0');
export class M147 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m147' } }) {}
export const s147 = new Store({ model: M147, sorters: ['f0'] });
export const v147: string | undefined = (await M147.load(1)).get('f0');
export class M148 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m148' } }) {}
export const s148 = new Store({ model: M148, sorters: ['f0'] });
export const v148: string | undefined = (await M148.load(1)).get('f0');
export class M149 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m149' } }) {}
export const s149 = new Store({ model: M149, sorters: ['f0'] });
export const v149: string | undefined = (await M149.load(1)).get('f0');
export class M150 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m150' } }) {}
export const s150 = new Store({ model: M150, sorters: ['f0'] });
export const v150: string | undefined = (await M150.load(1)).get('f0');
export class M151 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m151' } }) {}
export const s151 = new Store({ model: M151, sorters: ['f0'] });
export const v151: string | undefined = (await M151.load(1)).get('f0');
export class M152 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m152' } }) {}
export const s152 = new Store({ model: M152, sorters: ['f0'] });
export const v152: string | undefined = (await M152.load(1)).get('f0');
export class M153 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m153' } }) {}
export const s153 = new Store({ model: M153, sorters: ['f0'] });
export const v153: string | undefined = (await M153.load(1)).get('f0');
export class M154 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m154' } }) {}
export const s154 = new Store({ model: M154, sorters: ['f0'] });
export const v154: string | undefined = (await M154.load(1)).get('f0');
export class M155 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m155' } }) {}
export const s155 = new Store({ model: M155, sorters: ['f0'] });
export const v155: string | undefined = (await M155.load(1)).get('f0');
export class M156 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m156' } }) {}
export const s156 = new Store({ model: M156, sorters: ['f0'] });
export const v156: string | undefined = (await M156.load(1)).get('f0');
export class M157 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m157' } }) {}
export const s157 = new Store({ model: M157, sorters: ['f0'] });
export const v157: string | undefined = (await M157.load(1)).get('f0');
export class M158 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m158' } }) {}
export const s158 = new Store({ model: M158, sorters: ['f0'] });
export const v158: string | undefined = (await M158.load(1)).get('f0');
export class M159 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m159' } }) {}
export const s159 = new Store({ model: M159, sorters: ['f0'] });
export const v159: string | undefined = (await M159.load(1)).get('f0');
export class M160 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m160' } }) {}
export const s160 = new Store({ model: M160, sorters: ['f0'] });
export const v160: string | undefined = (await M160.load(1)).get('f0');
export class M161 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m161' } }) {}
export const s161 = new Store({ model: M161, sorters: ['f0'] });
export const v161: string | undefined = (await M161.load(1)).get('f0');
export class M162 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m162' } }) {}
export const s162 = new Store({ model: M162, sorters: ['f0'] });
export const v162: string | undefined = (await M162.load(1)).get('f0');
export class M163 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m163' } }) {}
export const s163 = new Store({ model: M163, sorters: ['f0'] });
export const v163: string | undefined = (await M163.load(1)).get('f0');
export class M164 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m164' } }) {}
export const s164 = new Store({ model: M164, sorters: ['f0'] });
export const v164: string | undefined = (await M164.load(1)).get('f0');
export class M165 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m165' } }) {}
export const s165 = new Store({ model: M165, sorters: ['f0'] });
export const v165: string | undefined = (await M165.load(1)).get('f0');
export class M166 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m166' } }) {}
export const s166 = new Store({ model: M166, sorters: ['f0'] });
export const v166: string | undefined = (await M166.load(1)).get('f0');
export class M167 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m167' } }) {}
export const s167 = new Store({ model: M167, sorters: ['f0'] });
export const v167: string | undefined = (await M167.load(1)).get('f0');
export class M168 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m168' } }) {}
export const s168 = new Store({ model: M168, sorters: ['f0'] });
export const v168: string | undefined = (await M168.load(1)).get('f0');
export class M169 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m169' } }) {}
export const s169 = new Store({ model: M169, sorters: ['f0'] });
export const v169: string | undefined = (await M169.load(1)).get('f0');
export class M170 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m170' } }) {}
export const s170 = new Store({ model: M170, sorters: ['f0'] });
export const v170: string | undefined = (await M170.load(1)).get('f0');
export class M171 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m171' } }) {}
export const s171 = new Store({ model: M171, sorters: ['f0'] });
export const v171: string | undefined = (await M171.load(1)).get('f0');
export class M172 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m172' } }) {}
export const s172 = new Store({ model: M172, sorters: ['f0'] });
export const v172: string | undefined = (await M172.load(1)).get('f0');
export class M173 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m173' } }) {}
export const s173 = new Store({ model: M173, sorters: ['f0'] });
export const v173: string | undefined = (await M173.load(1)).get('f0');
export class M174 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m174' } }) {}
export const s174 = new Store({ model: M174, sorters: ['f0'] });
export const v174: string | undefined = (await M174.load(1)).get('f0');
export class M175 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m175' } }) {}
export const s175 = new Store({ model: M175, sorters: ['f0'] });
export const v175: string | undefined = (await M175.load(1)).get('f0');
export class M176 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m176' } }) {}
export const s176 = new Store({ model: M176, sorters: ['f0'] });
export const v176: string | undefined = (await M176.load(1)).get('f0');
export class M177 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m177' } }) {}
export const s177 = new Store({ model: M177, sorters: ['f0'] });
export const v177: string | undefined = (await M177.load(1)).get('f0');
export class M178 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m178' } }) {}
export const s178 = new Store({ model: M178, sorters: ['f0'] });
export const v178: string | undefined = (await M178.load(1)).get('f0');
export class M179 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m179' } }) {}
export const s179 = new Store({ model: M179, sorters: ['f0'] });
export const v179: string | undefined = (await M179.load(1)).get('f0');
export class M180 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m180' } }) {}
export const s180 = new Store({ model: M180, sorters: ['f0'] });
export const v180: string | undefined = (await M180.load(1)).get('f0');
export class M181 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m181' } }) {}
export const s181 = new Store({ model: M181, sorters: ['f0'] });
export const v181: string | undefined = (await M181.load(1)).get('f0');
export class M182 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m182' } }) {}
export const s182 = new Store({ model: M182, sorters: ['f0'] });
export const v182: string | undefined = (await M182.load(1)).get('f0');
export class M183 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m183' } }) {}
export const s183 = new Store({ model: M183, sorters: ['f0'] });
export const v183: string | undefined = (await M183.load(1)).get('f0');
export class M184 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m184' } }) {}
export const s184 = new Store({ model: M184, sorters: ['f0'] });
export const v184: string | undefined = (await M184.load(1)).get('f0');
export class M185 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m185' } }) {}
export const s185 = new Store({ model: M185, sorters: ['f0'] });
export const v185: string | undefined = (await M185.load(1)).get('f0');
export class M186 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m186' } }) {}
export const s186 = new Store({ model: M186, sorters: ['f0'] });
export const v186: string | undefined = (await M186.load(1)).get('f0');
export class M187 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m187' } }) {}
export const s187 = new Store({ model: M187, sorters: ['f0'] });
export const v187: string | undefined = (await M187.load(1)).get('f0');
export class M188 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m188' } }) {}
export const s188 = new Store({ model: M188, sorters: ['f0'] });
export const v188: string | undefined = (await M188.load(1)).get('f0');
export class M189 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m189' } }) {}
export const s189 = new Store({ model: M189, sorters: ['f0'] });
export const v189: string | undefined = (await M189.load(1)).get('f0');
export class M190 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m190' } }) {}
export const s190 = new Store({ model: M190, sorters: ['f0'] });
export const v190: string | undefined = (await M190.load(1)).get('f0');
export class M191 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m191' } }) {}
export const s191 = new Store({ model: M191, sorters: ['f0'] });
export const v191: string | undefined = (await M191.load(1)).get('f0');
export class M192 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m192' } }) {}
export const s192 = new Store({ model: M192, sorters: ['f0'] });
export const v192: string | undefined = (await M192.load(1)).get('f0');
export class M193 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m193' } }) {}
export const s193 = new Store({ model: M193, sorters: ['f0'] });
export const v193: string | undefined = (await M193.load(1)).get('f0');
export class M194 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m194' } }) {}
export const s194 = new Store({ model: M194, sorters: ['f0'] });
export const v194: string | undefined = (await M194.load(1)).get('f0');
export class M195 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m195' } }) {}
export const s195 = new Store({ model: M195, sorters: ['f0'] });
export const v195: string | undefined = (await M195.load(1)).get('f0');
export class M196 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m196' } }) {}
export const s196 = new Store({ model: M196, sorters: ['f0'] });
export const v196: string | undefined = (await M196.load(1)).get('f0');
export class M197 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m197' } }) {}
export const s197 = new Store({ model: M197, sorters: ['f0'] });
export const v197: string | undefined = (await M197.load(1)).get('f0');
export class M198 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m198' } }) {}
export const s198 = new Store({ model: M198, sorters: ['f0'] });
export const v198: string | undefined = (await M198.load(1)).get('f0');
export class M199 extends Model.define({ fields: { id: 'int', f0: 'string', f1: 'int', f2: { type: 'date', allowNull: true }, f3: 'string', f4: 'int', f5: { type: 'date', allowNull: true }, f6: 'string', f7: 'int', f8: { type: 'date', allowNull: true }, f9: 'string', f10: 'int', f11: { type: 'date', allowNull: true }, f12: 'string', f13: 'int', f14: { type: 'date', allowNull: true }, f15: 'string', f16: 'int', f17: { type: 'date', allowNull: true }, f18: 'string', f19: 'int' }, proxy: { type: 'rest', url: '/m199' } }) {}
export const s199 = new Store({ model: M199, sorters: ['f0'] });
export const v199: string | undefined = (await M199.load(1)).get('f0');
new M0({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s0.filter({ property: 'f1', operator: 'in', value: [1] });
new M1({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s1.filter({ property: 'f1', operator: 'in', value: [1] });
new M2({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s2.filter({ property: 'f1', operator: 'in', value: [1] });
new M3({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s3.filter({ property: 'f1', operator: 'in', value: [1] });
new M4({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s4.filter({ property: 'f1', operator: 'in', value: [1] });
new M5({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s5.filter({ property: 'f1', operator: 'in', value: [1] });
new M6({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s6.filter({ property: 'f1', operator: 'in', value: [1] });
new M7({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s7.filter({ property: 'f1', operator: 'in', value: [1] });
new M8({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s8.filter({ property: 'f1', operator: 'in', value: [1] });
new M9({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s9.filter({ property: 'f1', operator: 'in', value: [1] });
new M10({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s10.filter({ property: 'f1', operator: 'in', value: [1] });
new M11({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s11.filter({ property: 'f1', operator: 'in', value: [1] });
new M12({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s12.filter({ property: 'f1', operator: 'in', value: [1] });
new M13({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s13.filter({ property: 'f1', operator: 'in', value: [1] });
new M14({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s14.filter({ property: 'f1', operator: 'in', value: [1] });
new M15({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s15.filter({ property: 'f1', operator: 'in', value: [1] });
new M16({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s16.filter({ property: 'f1', operator: 'in', value: [1] });
new M17({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s17.filter({ property: 'f1', operator: 'in', value: [1] });
new M18({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s18.filter({ property: 'f1', operator: 'in', value: [1] });
new M19({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s19.filter({ property: 'f1', operator: 'in', value: [1] });
new M20({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s20.filter({ property: 'f1', operator: 'in', value: [1] });
new M21({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s21.filter({ property: 'f1', operator: 'in', value: [1] });
new M22({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s22.filter({ property: 'f1', operator: 'in', value: [1] });
new M23({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s23.filter({ property: 'f1', operator: 'in', value: [1] });
new M24({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s24.filter({ property: 'f1', operator: 'in', value: [1] });
new M25({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s25.filter({ property: 'f1', operator: 'in', value: [1] });
new M26({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s26.filter({ property: 'f1', operator: 'in', value: [1] });
new M27({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s27.filter({ property: 'f1', operator: 'in', value: [1] });
new M28({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s28.filter({ property: 'f1', operator: 'in', value: [1] });
new M29({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s29.filter({ property: 'f1', operator: 'in', value: [1] });
new M30({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s30.filter({ property: 'f1', operator: 'in', value: [1] });
new M31({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s31.filter({ property: 'f1', operator: 'in', value: [1] });
new M32({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s32.filter({ property: 'f1', operator: 'in', value: [1] });
new M33({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s33.filter({ property: 'f1', operator: 'in', value: [1] });
new M34({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s34.filter({ property: 'f1', operator: 'in', value: [1] });
new M35({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s35.filter({ property: 'f1', operator: 'in', value: [1] });
new M36({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s36.filter({ property: 'f1', operator: 'in', value: [1] });
new M37({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s37.filter({ property: 'f1', operator: 'in', value: [1] });
new M38({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s38.filter({ property: 'f1', operator: 'in', value: [1] });
new M39({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s39.filter({ property: 'f1', operator: 'in', value: [1] });
new M40({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s40.filter({ property: 'f1', operator: 'in', value: [1] });
new M41({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s41.filter({ property: 'f1', operator: 'in', value: [1] });
new M42({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s42.filter({ property: 'f1', operator: 'in', value: [1] });
new M43({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s43.filter({ property: 'f1', operator: 'in', value: [1] });
new M44({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s44.filter({ property: 'f1', operator: 'in', value: [1] });
new M45({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s45.filter({ property: 'f1', operator: 'in', value: [1] });
new M46({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s46.filter({ property: 'f1', operator: 'in', value: [1] });
new M47({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s47.filter({ property: 'f1', operator: 'in', value: [1] });
new M48({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s48.filter({ property: 'f1', operator: 'in', value: [1] });
new M49({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s49.filter({ property: 'f1', operator: 'in', value: [1] });
new M50({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s50.filter({ property: 'f1', operator: 'in', value: [1] });
new M51({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s51.filter({ property: 'f1', operator: 'in', value: [1] });
new M52({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s52.filter({ property: 'f1', operator: 'in', value: [1] });
new M53({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s53.filter({ property: 'f1', operator: 'in', value: [1] });
new M54({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s54.filter({ property: 'f1', operator: 'in', value: [1] });
new M55({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s55.filter({ property: 'f1', operator: 'in', value: [1] });
new M56({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s56.filter({ property: 'f1', operator: 'in', value: [1] });
new M57({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s57.filter({ property: 'f1', operator: 'in', value: [1] });
new M58({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s58.filter({ property: 'f1', operator: 'in', value: [1] });
new M59({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s59.filter({ property: 'f1', operator: 'in', value: [1] });
new M60({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s60.filter({ property: 'f1', operator: 'in', value: [1] });
new M61({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s61.filter({ property: 'f1', operator: 'in', value: [1] });
new M62({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s62.filter({ property: 'f1', operator: 'in', value: [1] });
new M63({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s63.filter({ property: 'f1', operator: 'in', value: [1] });
new M64({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s64.filter({ property: 'f1', operator: 'in', value: [1] });
new M65({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s65.filter({ property: 'f1', operator: 'in', value: [1] });
new M66({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s66.filter({ property: 'f1', operator: 'in', value: [1] });
new M67({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s67.filter({ property: 'f1', operator: 'in', value: [1] });
new M68({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s68.filter({ property: 'f1', operator: 'in', value: [1] });
new M69({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s69.filter({ property: 'f1', operator: 'in', value: [1] });
new M70({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s70.filter({ property: 'f1', operator: 'in', value: [1] });
new M71({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s71.filter({ property: 'f1', operator: 'in', value: [1] });
new M72({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s72.filter({ property: 'f1', operator: 'in', value: [1] });
new M73({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s73.filter({ property: 'f1', operator: 'in', value: [1] });
new M74({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s74.filter({ property: 'f1', operator: 'in', value: [1] });
new M75({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s75.filter({ property: 'f1', operator: 'in', value: [1] });
new M76({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s76.filter({ property: 'f1', operator: 'in', value: [1] });
new M77({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s77.filter({ property: 'f1', operator: 'in', value: [1] });
new M78({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s78.filter({ property: 'f1', operator: 'in', value: [1] });
new M79({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s79.filter({ property: 'f1', operator: 'in', value: [1] });
new M80({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s80.filter({ property: 'f1', operator: 'in', value: [1] });
new M81({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s81.filter({ property: 'f1', operator: 'in', value: [1] });
new M82({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s82.filter({ property: 'f1', operator: 'in', value: [1] });
new M83({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s83.filter({ property: 'f1', operator: 'in', value: [1] });
new M84({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s84.filter({ property: 'f1', operator: 'in', value: [1] });
new M85({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s85.filter({ property: 'f1', operator: 'in', value: [1] });
new M86({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s86.filter({ property: 'f1', operator: 'in', value: [1] });
new M87({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s87.filter({ property: 'f1', operator: 'in', value: [1] });
new M88({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s88.filter({ property: 'f1', operator: 'in', value: [1] });
new M89({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s89.filter({ property: 'f1', operator: 'in', value: [1] });
new M90({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s90.filter({ property: 'f1', operator: 'in', value: [1] });
new M91({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s91.filter({ property: 'f1', operator: 'in', value: [1] });
new M92({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s92.filter({ property: 'f1', operator: 'in', value: [1] });
new M93({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s93.filter({ property: 'f1', operator: 'in', value: [1] });
new M94({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s94.filter({ property: 'f1', operator: 'in', value: [1] });
new M95({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s95.filter({ property: 'f1', operator: 'in', value: [1] });
new M96({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s96.filter({ property: 'f1', operator: 'in', value: [1] });
new M97({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s97.filter({ property: 'f1', operator: 'in', value: [1] });
new M98({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s98.filter({ property: 'f1', operator: 'in', value: [1] });
new M99({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s99.filter({ property: 'f1', operator: 'in', value: [1] });
new M100({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s100.filter({ property: 'f1', operator: 'in', value: [1] });
new M101({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s101.filter({ property: 'f1', operator: 'in', value: [1] });
new M102({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s102.filter({ property: 'f1', operator: 'in', value: [1] });
new M103({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s103.filter({ property: 'f1', operator: 'in', value: [1] });
new M104({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s104.filter({ property: 'f1', operator: 'in', value: [1] });
new M105({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s105.filter({ property: 'f1', operator: 'in', value: [1] });
new M106({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s106.filter({ property: 'f1', operator: 'in', value: [1] });
new M107({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s107.filter({ property: 'f1', operator: 'in', value: [1] });
new M108({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s108.filter({ property: 'f1', operator: 'in', value: [1] });
new M109({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s109.filter({ property: 'f1', operator: 'in', value: [1] });
new M110({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s110.filter({ property: 'f1', operator: 'in', value: [1] });
new M111({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s111.filter({ property: 'f1', operator: 'in', value: [1] });
new M112({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s112.filter({ property: 'f1', operator: 'in', value: [1] });
new M113({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s113.filter({ property: 'f1', operator: 'in', value: [1] });
new M114({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s114.filter({ property: 'f1', operator: 'in', value: [1] });
new M115({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s115.filter({ property: 'f1', operator: 'in', value: [1] });
new M116({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s116.filter({ property: 'f1', operator: 'in', value: [1] });
new M117({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s117.filter({ property: 'f1', operator: 'in', value: [1] });
new M118({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s118.filter({ property: 'f1', operator: 'in', value: [1] });
new M119({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s119.filter({ property: 'f1', operator: 'in', value: [1] });
new M120({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s120.filter({ property: 'f1', operator: 'in', value: [1] });
new M121({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s121.filter({ property: 'f1', operator: 'in', value: [1] });
new M122({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s122.filter({ property: 'f1', operator: 'in', value: [1] });
new M123({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s123.filter({ property: 'f1', operator: 'in', value: [1] });
new M124({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s124.filter({ property: 'f1', operator: 'in', value: [1] });
new M125({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s125.filter({ property: 'f1', operator: 'in', value: [1] });
new M126({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s126.filter({ property: 'f1', operator: 'in', value: [1] });
new M127({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s127.filter({ property: 'f1', operator: 'in', value: [1] });
new M128({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s128.filter({ property: 'f1', operator: 'in', value: [1] });
new M129({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s129.filter({ property: 'f1', operator: 'in', value: [1] });
new M130({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s130.filter({ property: 'f1', operator: 'in', value: [1] });
new M131({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s131.filter({ property: 'f1', operator: 'in', value: [1] });
new M132({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s132.filter({ property: 'f1', operator: 'in', value: [1] });
new M133({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s133.filter({ property: 'f1', operator: 'in', value: [1] });
new M134({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s134.filter({ property: 'f1', operator: 'in', value: [1] });
new M135({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s135.filter({ property: 'f1', operator: 'in', value: [1] });
new M136({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s136.filter({ property: 'f1', operator: 'in', value: [1] });
new M137({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s137.filter({ property: 'f1', operator: 'in', value: [1] });
new M138({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s138.filter({ property: 'f1', operator: 'in', value: [1] });
new M139({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s139.filter({ property: 'f1', operator: 'in', value: [1] });
new M140({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s140.filter({ property: 'f1', operator: 'in', value: [1] });
new M141({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s141.filter({ property: 'f1', operator: 'in', value: [1] });
new M142({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s142.filter({ property: 'f1', operator: 'in', value: [1] });
new M143({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s143.filter({ property: 'f1', operator: 'in', value: [1] });
new M144({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s144.filter({ property: 'f1', operator: 'in', value: [1] });
new M145({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s145.filter({ property: 'f1', operator: 'in', value: [1] });
new M146({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s146.filter({ property: 'f1', operator: 'in', value: [1] });
new M147({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s147.filter({ property: 'f1', operator: 'in', value: [1] });
new M148({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s148.filter({ property: 'f1', operator: 'in', value: [1] });
new M149({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s149.filter({ property: 'f1', operator: 'in', value: [1] });
new M150({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s150.filter({ property: 'f1', operator: 'in', value: [1] });
new M151({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s151.filter({ property: 'f1', operator: 'in', value: [1] });
new M152({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s152.filter({ property: 'f1', operator: 'in', value: [1] });
new M153({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s153.filter({ property: 'f1', operator: 'in', value: [1] });
new M154({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s154.filter({ property: 'f1', operator: 'in', value: [1] });
new M155({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s155.filter({ property: 'f1', operator: 'in', value: [1] });
new M156({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s156.filter({ property: 'f1', operator: 'in', value: [1] });
new M157({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s157.filter({ property: 'f1', operator: 'in', value: [1] });
new M158({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s158.filter({ property: 'f1', operator: 'in', value: [1] });
new M159({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s159.filter({ property: 'f1', operator: 'in', value: [1] });
new M160({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s160.filter({ property: 'f1', operator: 'in', value: [1] });
new M161({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s161.filter({ property: 'f1', operator: 'in', value: [1] });
new M162({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s162.filter({ property: 'f1', operator: 'in', value: [1] });
new M163({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s163.filter({ property: 'f1', operator: 'in', value: [1] });
new M164({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s164.filter({ property: 'f1', operator: 'in', value: [1] });
new M165({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s165.filter({ property: 'f1', operator: 'in', value: [1] });
new M166({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s166.filter({ property: 'f1', operator: 'in', value: [1] });
new M167({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s167.filter({ property: 'f1', operator: 'in', value: [1] });
new M168({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s168.filter({ property: 'f1', operator: 'in', value: [1] });
new M169({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s169.filter({ property: 'f1', operator: 'in', value: [1] });
new M170({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s170.filter({ property: 'f1', operator: 'in', value: [1] });
new M171({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s171.filter({ property: 'f1', operator: 'in', value: [1] });
new M172({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s172.filter({ property: 'f1', operator: 'in', value: [1] });
new M173({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s173.filter({ property: 'f1', operator: 'in', value: [1] });
new M174({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s174.filter({ property: 'f1', operator: 'in', value: [1] });
new M175({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s175.filter({ property: 'f1', operator: 'in', value: [1] });
new M176({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s176.filter({ property: 'f1', operator: 'in', value: [1] });
new M177({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s177.filter({ property: 'f1', operator: 'in', value: [1] });
new M178({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s178.filter({ property: 'f1', operator: 'in', value: [1] });
new M179({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s179.filter({ property: 'f1', operator: 'in', value: [1] });
new M180({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s180.filter({ property: 'f1', operator: 'in', value: [1] });
new M181({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s181.filter({ property: 'f1', operator: 'in', value: [1] });
new M182({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s182.filter({ property: 'f1', operator: 'in', value: [1] });
new M183({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s183.filter({ property: 'f1', operator: 'in', value: [1] });
new M184({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s184.filter({ property: 'f1', operator: 'in', value: [1] });
new M185({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s185.filter({ property: 'f1', operator: 'in', value: [1] });
new M186({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s186.filter({ property: 'f1', operator: 'in', value: [1] });
new M187({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s187.filter({ property: 'f1', operator: 'in', value: [1] });
new M188({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s188.filter({ property: 'f1', operator: 'in', value: [1] });
new M189({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s189.filter({ property: 'f1', operator: 'in', value: [1] });
new M190({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s190.filter({ property: 'f1', operator: 'in', value: [1] });
new M191({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s191.filter({ property: 'f1', operator: 'in', value: [1] });
new M192({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s192.filter({ property: 'f1', operator: 'in', value: [1] });
new M193({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s193.filter({ property: 'f1', operator: 'in', value: [1] });
new M194({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s194.filter({ property: 'f1', operator: 'in', value: [1] });
new M195({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s195.filter({ property: 'f1', operator: 'in', value: [1] });
new M196({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s196.filter({ property: 'f1', operator: 'in', value: [1] });
new M197({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s197.filter({ property: 'f1', operator: 'in', value: [1] });
new M198({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s198.filter({ property: 'f1', operator: 'in', value: [1] });
new M199({ f0: 'x' }).set('f0', 'y').set({ f1: 2 }).$.modified.f1; s199.filter({ property: 'f1', operator: 'in', value: [1] });