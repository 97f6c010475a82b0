import { build } from 'esbuild'; import { gzipSync } from 'node:zlib'; import { rolldown } from 'rolldown';
const root='/work/wt-elsewhere';
for (const [src,name] of process.argv.slice(2).map(x=>x.split(':'))) {
  const { outputFiles, metafile } = await build({ stdin:{contents:`import { ${name} } from '${src}'; console.log(${name});`,resolveDir:root}, bundle:true,minify:true,splitting:true,write:false,metafile:true,outdir:'out',format:'esm',platform:'browser',logLevel:'silent',absWorkingDir:root});
  const imports=f=>metafile.outputs['out/'+f].imports.filter(i=>i.kind==='import-statement').map(i=>i.path.split('/').pop());
  const first=new Set(['stdin.js']); for(const f of first) for(const n of imports(f)) first.add(n);
  const sz=f=>gzipSync(outputFiles.find(o=>o.path.endsWith('/'+f)).text,{level:9}).length;
  let e=0; for(const f of first) e+=sz(f);
  const bundle = await rolldown({input:'program',cwd:root,platform:'browser',logLevel:'silent',plugins:[{name:'p',resolveId:id=>id==='program'?'\0program':undefined,load:id=>id==='\0program'?`import { ${name} } from '${src}'; console.log(${name});`:undefined}]});
  const { output } = await bundle.generate({format:'esm',minify:true,chunkFileNames:'[name].js'}); await bundle.close();
  const ent=output.filter(c=>c.isEntry).map(c=>c.fileName); const fs=new Set(ent); for(const f of fs) for(const n of output.find(c=>c.fileName===f).imports) fs.add(n);
  let r=0; for(const f of fs) r+=gzipSync(output.find(c=>c.fileName===f).code,{level:9}).length;
  console.log(src,name,'esbuild',e,'rolldown',r,'later',output.length-fs.size);
}
