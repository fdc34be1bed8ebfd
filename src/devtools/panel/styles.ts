/** The styles of the panel. They are given to the shadow root as a sheet, which a content security policy of `style-src 'self'` allows. */
export const STYLES = `
:host {
  --text: light-dark(#1c2330, #e6e9ef);
  --quiet: light-dark(#5b6475, #9aa4b5);
  --page: light-dark(#ffffff, #14171d);
  --raised: light-dark(#f5f6f8, #1b1f27);
  --line: light-dark(#dde1e8, #2c323d);
  --accent: light-dark(#2456c9, #8db2ff);
  --chosen: light-dark(#e7eefc, #223150);
  --good: light-dark(#146c38, #5fcf8d);
  --bad: light-dark(#b3261e, #ff8f87);
  --warn: light-dark(#8a5a00, #f0bd5b);
  --wait: light-dark(#c3cad6, #48515f);
  --bad-page: light-dark(#fdecea, #3a1f1e);
  --warn-page: light-dark(#fdf3df, #362b16);
  --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, monospace;
  all: initial;
  display: block;
}
/* Not on the host, which the page can style. */
.panel, .launch { font: 13px/1.45 system-ui, 'Segoe UI', Roboto, sans-serif; color: var(--text); }
:host([data-scheme='both']) { color-scheme: light dark; }
:host([data-scheme='light']) { color-scheme: light; }
:host([data-scheme='dark']) { color-scheme: dark; }
:host([data-docked]) { position: fixed; inset: auto 0 0 0; z-index: 2147483000; pointer-events: none; }
:host(:not([data-docked])) { height: 100%; min-height: 320px; }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
button, input { font: inherit; color: inherit; }
button.launch { font: 600 13px/1.45 system-ui, 'Segoe UI', Roboto, sans-serif; color: var(--text); }
button {
  padding: 3px 9px; border: 1px solid var(--line); border-radius: 6px; background: var(--page); cursor: pointer; white-space: nowrap;
}
button:hover { border-color: var(--accent); }
button[aria-pressed='true'] { background: var(--chosen); border-color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
.launch {
  pointer-events: auto; position: absolute; inset: auto 12px 12px auto; padding: 6px 12px; border-radius: 999px;
  box-shadow: 0 2px 10px rgb(0 0 0 / 0.18); font-weight: 600;
}
.panel {
  pointer-events: auto; container-type: inline-size; display: flex; flex-direction: column; height: 100%; min-width: 0;
  background: var(--page); overflow: hidden;
}
:host([data-docked]) .panel { height: min(46vh, 560px); min-height: 260px; border-top: 1px solid var(--line); box-shadow: 0 -6px 24px rgb(0 0 0 / 0.14); }
.bar {
  display: flex; flex-wrap: wrap; align-items: center; gap: 6px; padding: 6px 10px; border-bottom: 1px solid var(--line); background: var(--raised);
}
.title { font-weight: 650; margin-inline-end: 4px; }
.tabs { display: flex; gap: 2px; }
.tabs button { border-color: transparent; background: none; color: var(--quiet); }
.tabs button[aria-selected='true'] { color: var(--text); background: var(--page); border-color: var(--line); font-weight: 600; }
.count { color: var(--quiet); font-weight: 400; font-variant-numeric: tabular-nums; }
.space { flex: 1; }
.filter { min-width: 90px; width: 170px; flex: 0 1 170px; padding: 3px 9px; border: 1px solid var(--line); border-radius: 6px; background: var(--page); }
.filter::placeholder { color: var(--quiet); opacity: 1; }
.message { padding: 4px 10px; background: var(--chosen); border-bottom: 1px solid var(--line); }
.message:empty { display: none; }
.body { flex: 1; min-height: 0; display: flex; }
.list { flex: 0 0 44%; max-width: 640px; min-width: 0; overflow: auto; border-inline-end: 1px solid var(--line); }
.detail, .page { flex: 1; min-width: 0; overflow: auto; padding: 10px 14px 24px; }
.row {
  display: grid; grid-template-columns: 58px minmax(80px, 1fr) 62px 62px minmax(60px, 26%); gap: 8px; align-items: center; padding: 4px 10px;
  border-bottom: 1px solid var(--line); cursor: pointer; min-height: 30px;
}
.row:hover { background: var(--raised); }
.row[aria-selected='true'] { background: var(--chosen); box-shadow: inset 3px 0 0 var(--accent); }
.kind { font: 600 11px/1.4 var(--mono); color: var(--quiet); text-transform: uppercase; letter-spacing: 0.02em; }
.what { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.what small { color: var(--quiet); font-size: 12px; margin-inline-start: 3px; }
.outcome { font-family: var(--mono); font-size: 12px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.took { color: var(--quiet); text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.done { color: var(--good); } .failed, .refused { color: var(--bad); } .aborted { color: var(--warn); } .running { color: var(--accent); }
.track { position: relative; height: 10px; border-radius: 3px; background: var(--raised); overflow: hidden; }
.row[aria-selected='true'] .track { background: var(--page); }
.track i { position: absolute; inset-block: 2px; min-width: 2px; border-radius: 2px; background: var(--good); }
.track i.bad { background: var(--bad); } .track i.wait { background: var(--wait); inset-block: 4px; border-radius: 0; } .track i.open { background: var(--accent); }
.empty { padding: 26px 20px; color: var(--quiet); max-width: 46em; }
h2 { font-size: 15px; line-height: 1.3; margin: 0 0 2px; overflow-wrap: anywhere; }
.under { color: var(--quiet); margin: 0 0 10px; }
.actions { display: flex; flex-wrap: wrap; gap: 6px; margin: 0 0 10px; }
.problem { margin: 0 0 10px; padding: 8px 11px; border-radius: 6px; background: var(--bad-page); border-inline-start: 3px solid var(--bad); overflow-wrap: anywhere; white-space: pre-wrap; }
.warning { background: var(--warn-page); border-color: var(--warn); }
details { border-top: 1px solid var(--line); padding: 7px 0; }
summary { cursor: pointer; font-weight: 600; padding: 2px 0; }
.sent { font: 12.5px/1.5 var(--mono); overflow-wrap: anywhere; margin: 6px 0; }
.sent b { color: var(--accent); }
.scroll { overflow-x: auto; max-width: 100%; }
table { border-collapse: collapse; width: 100%; margin: 6px 0; font-size: 12.5px; }
th { text-align: start; font-weight: 600; color: var(--quiet); padding: 3px 10px 3px 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
td { padding: 3px 10px 3px 0; vertical-align: top; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
tr:last-child td { border-bottom: 0; }
td:first-child { font-family: var(--mono); font-size: 12px; }
tr.changed td { background: var(--warn-page); }
tr.changed td:first-child { box-shadow: inset 3px 0 0 var(--warn); padding-inline-start: 8px; }
code { font: 12px/1.45 var(--mono); color: var(--quiet); white-space: nowrap; }
td:first-child { min-width: 110px; }
del { color: var(--bad); text-decoration: none; } ins { color: var(--good); text-decoration: none; }
pre { font: 12px/1.5 var(--mono); margin: 6px 0; padding: 9px 11px; border-radius: 6px; background: var(--raised); overflow: auto; max-height: 340px; white-space: pre-wrap; overflow-wrap: anywhere; }
textarea { width: 100%; height: 240px; font: 12px/1.5 var(--mono); color: inherit; background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: 8px; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: 3px 14px; margin: 6px 0; }
.facts dt { color: var(--quiet); } .facts dd { margin: 0; overflow-wrap: anywhere; min-width: 0; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 340px), 1fr)); gap: 12px; }
.card { border: 1px solid var(--line); border-radius: 8px; padding: 10px 13px; background: var(--page); min-width: 0; }
.card h2 { margin: 0 0 4px; font-size: 13.5px; }
.back { display: none; }
@container (max-width: 900px) {
  .list { flex-basis: 50%; }
  .row { grid-template-columns: 50px minmax(60px, 1fr) 56px 54px; gap: 6px; }
  .row .track { display: none; }
}
@container (max-width: 640px) {
  .list { flex: 1; max-width: none; border: 0; }
  .panel[data-detail] .list { display: none; }
  .panel:not([data-detail]) .detail { display: none; }
  .back { display: inline-block; }
  .filter { flex: 1 1 120px; width: auto; }
  .space { display: none; }
}
@media (prefers-reduced-motion: no-preference) { .running .dot { animation: pulse 1.2s infinite; } }
@media (forced-colors: active) { .track i { forced-color-adjust: none; } }
`;
