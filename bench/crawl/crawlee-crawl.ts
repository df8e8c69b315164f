// Crawlee's CheerioCrawler over the generated web: `node crawlee-crawl.ts FOLDER START`, FOLDER holds its node_modules.

import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** What is used of it; it is no dependency of ours. */
interface Crawlee {
  CheerioCrawler: new (options: object) => { run(starts: string[]): Promise<unknown> }
  EnqueueStrategy: { All: unknown }
}

interface Context {
  enqueueLinks(options: object): Promise<unknown>
  contentType: { type: string }
  request: { loadedUrl: string }
  $(selector: string): { toArray(): { attribs: Record<string, string> }[] }
}

const [folder, start] = process.argv.slice(2) as [string, string]
const require = createRequire(join(folder, 'none.js'))
const path = require.resolve(
  existsSync(join(folder, 'node_modules', 'crawlee')) ? 'crawlee' : '@crawlee/cheerio',
)
const { CheerioCrawler, EnqueueStrategy } = (await import(pathToFileURL(path).href)) as Crawlee
const crawler = new CheerioCrawler({
  maxConcurrency: 64,
  minConcurrency: 32,
  maxRequestRetries: 0,
  additionalMimeTypes: ['image/png'],
  respectRobotsTxtFile: false,
  async requestHandler({ enqueueLinks, contentType, request, $ }: Context) {
    if (contentType.type !== 'text/html') return
    await enqueueLinks({ strategy: EnqueueStrategy.All, selector: 'a[href]' })
    // Selectors of enqueueLinks look at href alone.
    const images = $('img[src]').toArray()
    const urls = images.map(({ attribs }) => new URL(attribs.src!, request.loadedUrl).href)
    await enqueueLinks({ strategy: EnqueueStrategy.All, urls })
  },
})
await crawler.run([start])
