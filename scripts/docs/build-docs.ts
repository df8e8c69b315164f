// Builds the documentation into a folder of plain files, dist/docs unless another is named: `npm run docs -- FOLDER`.
//
// A peer serves dist/docs at /docs; any web server can serve the folder elsewhere. See docs/decisions/0121.

import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { build } from 'vite'
import { addressOf } from './addresses.ts'
import { pageMarkup, type SiteAssets } from './page.ts'
import { DocsSite } from './site.ts'

const root = join(import.meta.dirname, '../..')

/** Made beside it and put in its place at the end: a peer may be serving what is there. */
export async function buildDocs(target: string): Promise<number> {
  const site = new DocsSite(root)
  const folder = `${target}.building`
  rmSync(folder, { recursive: true, force: true })
  const assets = await buildAssets(folder)
  const written: string[] = [...Object.values(assets), 'search.json']
  for (const [source, page] of site.pages) {
    const address = addressOf(source)!
    write(folder, address, pageMarkup(source, page, assets))
    written.push(address)
  }
  for (const source of site.files()) {
    const address = addressOf(source)!
    mkdirSync(dirname(join(folder, address)), { recursive: true })
    cpSync(join(root, source), join(folder, address))
    written.push(address)
  }
  write(folder, 'search.json', JSON.stringify(site.searchedSections()))
  // What a peer may serve: nothing that is not listed here is looked for on the disk.
  write(folder, 'files.json', JSON.stringify(written.sort()))
  rmSync(target, { recursive: true, force: true })
  renameSync(folder, target)
  return site.pages.size
}

async function buildAssets(folder: string): Promise<SiteAssets> {
  const web = join(root, 'web')
  const built = await build({
    root: web,
    base: './',
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    build: {
      outDir: folder,
      emptyOutDir: false,
      assetsInlineLimit: 0,
      modulePreload: false,
      target: ['chrome123', 'firefox122', 'safari17.5'],
      rolldownOptions: {
        input: ['docs.css', 'docs.ts', 'icon.svg'].map((entry) => join(web, entry)),
        // As in web/vite.config.ts.
        checks: { bundlerTimings: false },
      },
    },
  })
  const files = (Array.isArray(built) ? built : [built]).flatMap((each) =>
    'output' in each ? each.output : [],
  )
  const named = (pattern: RegExp): string => files.find(({ fileName }) => pattern.test(fileName))!.fileName
  return { style: named(/docs-.*\.css$/), script: named(/docs-.*\.js$/), icon: named(/icon-.*\.svg$/) }
}

function write(folder: string, address: string, content: string): void {
  mkdirSync(dirname(join(folder, address)), { recursive: true })
  writeFileSync(join(folder, address), content)
}

if (import.meta.main) {
  const folder = resolve(process.argv[2] ?? join(root, 'dist/docs'))
  const count = await buildDocs(folder)
  if (process.argv[3] !== '--quiet') console.log(`${count} pages in ${folder}`)
}
