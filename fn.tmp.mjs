import { build } from 'esbuild'; import { gzipSync } from 'node:zlib';
const [src,name]=process.argv[2].split(':');
const { outputFiles } = await build({ stdin:{contents:`import { ${name} } from '${src}'; console.log(${name});`,resolveDir:'/work/wt-elsewhere'}, bundle:true,minifySyntax:true,minifyWhitespace:false,write:false,outdir:'out',format:'esm',platform:'browser',logLevel:'silent',absWorkingDir:'/work/wt-elsewhere'});
const t=outputFiles[0].text; 
const parts=t.split(/\n(?=(?:async )?function |var |class |const |let )/).map(p=>[p.length,p.slice(0,60).replace(/\n/g,' ')]).sort((a,b)=>b[0]-a[0]);
console.log(t.length, gzipSync(t).length); for(const p of parts.slice(0,45)) console.log(...p);
