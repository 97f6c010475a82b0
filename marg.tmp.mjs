import { build } from 'esbuild'; import { gzipSync } from 'node:zlib';
const [src,name]=process.argv[2].split(':');
const { outputFiles } = await build({ stdin:{contents:`import { ${name} } from '${src}'; console.log(${name});`,resolveDir:'/work/wt-elsewhere'}, bundle:true,minifySyntax:true,minifyWhitespace:true,minifyIdentifiers:false,write:false,outdir:'out',format:'esm',platform:'browser',logLevel:'silent',absWorkingDir:'/work/wt-elsewhere'});
const t=outputFiles[0].text; const g=x=>gzipSync(x,{level:9}).length; const all=g(t);
const parts=t.split(/(?=(?:async )?function [A-Za-z_$0-9]+\(|var [A-Za-z_$0-9]+=)/);
const list=parts.map((p,i)=>[all-g(parts.filter((_,j)=>j!==i).join('')),p.slice(0,70)]).sort((a,b)=>b[0]-a[0]);
console.log(t.length,all); for(const l of list.slice(0,40)) console.log(...l);
