// Search with real processes: what a crawl keeps is found, by the command and by the peer; a peer that is killed while it indexes goes
// on where it was; what is taken down is not found any more.

import assert from 'node:assert/strict'
import { onTestFinished, test } from 'vitest'
import { polyhistor, temporaryFolder } from '../command.ts'
import { crawl } from '../crawl/crawling.ts'
import { startOrigin } from '../crawl/origin.ts'
import { until } from '../pages/reader.ts'
import { startPeer } from './peer.ts'

interface Found {
  readonly total: number
  readonly partial: boolean
  readonly hits: readonly { url: string; time: string; title: string; snippet: string; score: number }[]
}

const count = 60
const pages = Object.fromEntries(
  Array.from({ length: count }, (_, number) => {
    const next = number + 1 < count ? `<a href="/page${number + 1}">next</a>` : ''
    return [
      number === 0 ? '/' : `/page${number}`,
      `<title>Page ${number}</title><p>Lovage and number${number} ${next}`,
    ]
  }),
)

test('what was crawled is found, also after a kill, until it is taken down', {
  timeout: 900_000,
}, async () => {
  const origin = await startOrigin(pages)
  const home = await temporaryFolder()
  await crawl(home, origin.url('/'))
  const run = (...words: string[]) => polyhistor(['search', ...words, '--json', '--home', home])
  const alone = await run('lovage', 'number7')
  assert.equal(alone.code, 0, alone.errors)
  const found = JSON.parse(alone.output) as Found
  assert.deepEqual([found.total, found.partial], [1, false])
  assert.equal(found.hits[0]?.url, origin.url('/page7'))
  assert.equal(found.hits[0]?.title, 'Page 7')
  assert.match(found.hits[0]?.snippet ?? '', /<mark>Lovage<\/mark> and <mark>number7<\/mark>/)
  assert.equal((await run('nothingofthekind')).code, 1)
  assert.equal((await run('at:nonsense', 'x')).code, 64)

  // Made anew, and cut off.
  const rebuilt = await polyhistor(['search', '--rebuild', '--home', home])
  assert.equal(rebuilt.code, 0, rebuilt.errors)
  const killed = await startPeer(home)
  assert.equal(await killed.stop('SIGKILL'), 'SIGKILL')
  const peer = await startPeer(home)
  onTestFinished(() => void peer.child.kill('SIGKILL'))
  const total = async (query: string): Promise<number> => {
    const answer = await fetch(`${peer.url}/api/v1/search?q=${encodeURIComponent(query)}`)
    assert.equal(answer.status, 200)
    return ((await answer.json()) as Found).total
  }
  await until(async () => (await total('lovage')) === count)
  assert.equal(await total(`number9 site:127.0.0.1`), 1)
  const taken = await polyhistor(['takedown', '--url', origin.url('/page9'), '--yes', '--home', home])
  assert.equal(taken.code, 0, taken.errors)
  assert.equal(await total('number9'), 0)
  const page = await (await fetch(`${peer.url}/search?q=number8`)).text()
  assert.match(page, /<mark>number8<\/mark>/)
  // Another time that is chosen below the field counts in place of the one in the words.
  const chosen = await fetch(`${peer.url}/search?q=number8+at:2001&at=ever`)
  assert.equal(chosen.status, 200)
  assert.match(await chosen.text(), /<mark>number8<\/mark>/)
})
