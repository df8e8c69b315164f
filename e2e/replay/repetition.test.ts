// The same capture, replayed again and again, gives the same bytes: from the cache and without, alone and with others,
// before and after a restart.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { request } from 'node:http'
import { afterAll, beforeAll, test } from 'vitest'
import { TestArchive } from './archive.ts'
import { OriginWeb } from './origin-web.ts'
import { everySite } from './sites/every-site.ts'

const times = 39
/** One of each kind: rewritten pages, styles, scripts, drawings, data, and what is passed on as it is. */
const places = [
  'museum/html/',
  'museum/html/frames',
  'museum/css/main.css',
  'museum/script/',
  'museum/script/module.js',
  'museum/script/data.json',
  'museum/svg/document.svg',
  'museum/svg/page.xhtml',
  'museum/html/app.webmanifest',
  'museum/charset/shift-jis',
  'museum/transfer/codings',
  'museum/transfer/gone-page',
  'museum/transfer/moved-page',
  'museum/transfer/sound.wav',
  'museum/colour/1.png',
]
const modifiers = ['mp_', 'id_']

let web: OriginWeb
let archive: TestArchive

beforeAll(async () => {
  web = await OriginWeb.start(everySite)
  archive = await TestArchive.create()
  await archive.crawl(places.map((place) => web.url(place)))
  await web.shutDown()
  await archive.start()
})

afterAll(async () => {
  await archive?.stop()
  await web?.stop()
})

interface Reply {
  readonly status: number
  readonly location: string | undefined
  /** Status, headers without the date, and body, in one. */
  readonly digest: string
}

/** By address, for not every system knows names below localhost. */
function get(path: string): Promise<Reply> {
  const headers = { Host: `replay.localhost:${archive.port}`, 'Sec-Fetch-Dest': 'iframe' }
  return new Promise((resolve, reject) => {
    const asked = request({ host: 'localhost', port: archive.port, path, headers }, async (answer) => {
      const hash = createHash('sha256').update(`${answer.statusCode}`)
      const { rawHeaders } = answer
      for (let at = 0; at < rawHeaders.length; at += 2) {
        if (rawHeaders[at]!.toLowerCase() !== 'date')
          hash.update(`\n${rawHeaders[at]}: ${rawHeaders[at + 1]}`)
      }
      for await (const piece of answer) hash.update(piece)
      resolve({
        status: answer.statusCode ?? 0,
        location: answer.headers.location,
        digest: hash.digest('hex'),
      })
    })
    asked.on('error', reject).end()
  })
}

/** The path of the capture itself. */
async function exactPath(place: string, modifier: string): Promise<string> {
  const { status, location } = await get(`/web/2${modifier}/${web.url(place)}`)
  assert.ok(status === 302 && location !== undefined, `${place}: ${status}`)
  const { pathname, search } = new URL(location, archive.replayOrigin)
  return pathname + search
}

const expectedStatus: Record<string, number> = {
  'museum/transfer/gone-page': 404,
  'museum/transfer/moved-page': 301,
}

test(`${places.length} captures, ${times} times each`, async () => {
  const paths = new Map<string, string>()
  for (const place of places)
    for (const modifier of modifiers) paths.set(`${modifier} ${place}`, await exactPath(place, modifier))
  const digests = new Map<string, Set<string>>()
  const replay = async (name: string) => {
    const reply = await get(paths.get(name)!)
    assert.equal(reply.status, expectedStatus[name.split(' ')[1]!] ?? 200, name)
    digests.set(name, (digests.get(name) ?? new Set()).add(reply.digest))
  }
  for (let time = 0; time < times; time++) {
    // One after the other, all at once, and with everything forgotten in between.
    if (time === 26) await archive.restart()
    if (time % 2 === 0) await Promise.all([...paths.keys()].map(replay))
    else for (const name of paths.keys()) await replay(name)
  }
  const changing = [...digests].filter(([, found]) => found.size !== 1).map(([name]) => name)
  assert.deepEqual(changing, [])
  assert.ok(new Set([...digests.values()].map((found) => [...found][0])).size > places.length)
})
