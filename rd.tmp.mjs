import { rolldown } from 'rolldown'; import { gzipSync } from 'node:zlib';
for (const root of ['/work/main','/work/wt-elsewhere']) {
const bundle = await rolldown({input:'program',cwd:root,platform:'browser',logLevel:'silent',plugins:[{name:'p',resolveId:id=>id==='program'?'\0program':undefined,load:id=>id==='\0program'?`import { pca } from '@scree/core'; console.log(pca);`:undefined}]});
const { output } = await bundle.generate({format:'esm',minify:false,chunkFileNames:'[name].js'}); await bundle.close();
const ent=output.filter(c=>c.isEntry).map(c=>c.fileName); const fs=new Set(ent); for(const f of fs) for(const n of output.find(c=>c.fileName===f).imports) fs.add(n);
const t=[...fs].map(f=>output.find(c=>c.fileName===f).code).join('\n');
const m=new Map(); for(const p of t.split(/\n(?=(?:async )?function |var |class |const )/)) { const n=p.match(/^(?:async )?(?:function|var|class|const) ([\w$]+)/)?.[1]; m.set(n,(m.get(n)??0)+p.length); }
globalThis.maps??=[]; maps.push(m); console.log(root,t.length);
}
const [a,b]=maps; const d=[]; for(const n of new Set([...a.keys(),...b.keys()])) { const x=(b.get(n)??0)-(a.get(n)??0); if(Math.abs(x)>60) d.push([x,n]); } d.sort((x,y)=>y[0]-x[0]); for(const e of d) console.log(...e);
