import { DARK, declarations, LIGHT } from './theme.js';

/** The style sheet of the page: light or dark by the settings of the reader, wide or narrow, and light in print. */
export const STYLE = `
:root{color-scheme:light dark;${declarations(LIGHT)}}
@media screen and (prefers-color-scheme:dark){:root{${declarations(DARK)}}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
main,header,footer{max-width:1180px;margin:0 auto;padding:0 16px}
header{padding-top:28px}
h1{font-size:clamp(1.35rem,5vw,1.75rem);line-height:1.2;margin:0 0 .4rem}
h2{font-size:1.3rem;margin:2.6rem 0 .6rem;padding-top:.9rem;border-top:1px solid var(--line)}
h3{font-size:1rem;line-height:1.35;margin:0 0 .2rem}
p,li,dd{max-width:75ch}
p{margin:.45rem 0}
ul{padding-left:1.2rem;margin:.4rem 0}
a{color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:2px}
.faint,figcaption p{color:var(--faint);font-size:.9rem}
.lead{font-size:1.1rem;line-height:1.5}
.skip{position:absolute;left:-9999px}
.skip:focus{left:16px;top:8px;background:var(--paper);padding:4px 8px}
nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;list-style:none;padding:0;margin:1rem 0 0}
nav a{display:inline-block;padding:.25rem 0}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(148px,1fr));gap:10px;margin:1.1rem 0;padding:0}
.cards div{background:var(--raised);border:1px solid var(--line);border-radius:8px;padding:.55rem .8rem}
.cards dt{color:var(--faint);font-size:.82rem}
.cards dd{margin:0;font-size:1.35rem;font-weight:600;font-variant-numeric:tabular-nums}
.figures{columns:2 440px;column-gap:36px;margin-top:1.1rem}
.figures+h3{margin-top:1.4rem}
.figures>*{break-inside:avoid;margin-bottom:22px}
.figures>div>:first-child{margin-top:0}
figure{margin:0;min-width:0}
figure svg{display:block;width:100%;max-width:620px;height:auto;margin-top:.5rem;font-family:system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
details{margin-top:.5rem}
summary{cursor:pointer;color:var(--accent);font-size:.9rem;width:fit-content;padding:.2rem 0}
.scroll{overflow:auto;max-height:26rem;border:1px solid var(--line);border-radius:6px;margin-top:.3rem}
.whole{max-height:none}
table{border-collapse:collapse;font-size:.88rem;width:100%;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--faint);padding:.4rem .6rem}
th,td{padding:.28rem .6rem;text-align:left;border-top:1px solid var(--line);vertical-align:top;overflow-wrap:normal}
td.name{overflow-wrap:anywhere;min-width:5rem}
td.name:last-child:not(:first-child){min-width:21rem}
thead th{position:sticky;top:0;background:var(--raised);border-top:0;font-weight:600}
td.number{text-align:right;white-space:nowrap}
th.number{text-align:right}
.notes{padding:0;list-style:none}
.notes li{border-left:4px solid var(--second);background:var(--raised);padding:.5rem .8rem;margin:.5rem 0;border-radius:0 6px 6px 0}
.good{border-left:4px solid var(--fine);background:var(--raised);padding:.5rem .8rem;border-radius:0 6px 6px 0}
dl.facts{display:grid;grid-template-columns:minmax(6.5rem,max-content) 1fr;gap:.3rem 1.2rem}
dl.facts dt{color:var(--faint)}
dl.facts dd{margin:0}
pre{background:var(--raised);border:1px solid var(--line);border-radius:6px;padding:.7rem .9rem;white-space:pre-wrap;font-size:.9rem}
code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
footer{color:var(--faint);font-size:.85rem;padding-top:2.5rem;padding-bottom:2rem}
@media print{
body{font-size:11pt}
nav,.skip,figure details:not([open]){display:none}
.scroll{max-height:none;overflow:visible;border:0}
h2{break-after:avoid}
main,header,footer{max-width:none}
a{color:inherit;text-decoration:none}
}`.trim();
