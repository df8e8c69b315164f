// Polyhistor's own index, in its threads as a peer has it: pages are read and analysed in one, indexed and searched in another.

import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { searchThread, textThread } from '../../src/app/threads/search-threads.ts'
import type { PageChange } from '../../src/search/index/search-index.ts'
import { SearchClient } from '../../src/search/search-client.ts'
import { type Contender, latenciesOf } from './contender.ts'
import type { Page } from './corpus.ts'

const batch = 64
/** That are read, or wait for the index, which is at work for longer now and then, to write and to merge what it has. */
const batchesAhead = 16

export async function ours(): Promise<Contender> {
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-search-bench-'))
  const client = new SearchClient(searchThread(), folder)
  const texts = textThread()
  const change = async ({ url: href, title, text }: Page): Promise<PageChange> => {
    const html = `<html><head><title>${title}</title></head><body><p>${text.replaceAll('\n', '</p><p>')}</p></body></html>`
    const bytes = new Uint8Array(Buffer.from(html))
    const work = {
      href,
      anchors: [],
      type: 'html' as const,
      bytes,
      contentType: 'text/html',
      contentEncoding: undefined,
    }
    const analysed = await texts.run(work, [bytes.buffer])
    return { href, captures: [{ atMs: 1, content: 'one' }], analysed: [['one', analysed]] }
  }
  return {
    name: 'polyhistor',
    index: async (pages) => {
      const applying: Promise<unknown>[] = []
      let some: Page[] = []
      const send = async (): Promise<void> => {
        const changes = Promise.all(some.map(change))
        some = []
        applying.push(changes.then((ready) => client.run({ kind: 'apply', changes: ready })))
        if (applying.length > batchesAhead) await applying.shift()
      }
      for (const page of pages) if (some.push(page) === batch) await send()
      await send()
      await Promise.all(applying)
      await client.run({ kind: 'commit' })
    },
    bytes: async () => (await stat(join(folder, 'data.mdb'))).size,
    processorSeconds: () => 'here',
    latencies: (queries, callers) =>
      latenciesOf(queries, callers, (words) =>
        client.run({ kind: 'search', question: { text: words.join(' '), limit: 10 } }),
      ),
    close: async () => {
      await client.close()
      await texts.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
