// What Memento tools get at the addresses that TimeMaps name: the archived resource, not our page around it.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, onTestFinished, test } from 'vitest'
import { storeArchive } from '../network/remote-reads/archive/readable-archive.ts'
import { openStore } from '../store/fixtures/open-store.ts'
import { pageCapture } from '../store/fixtures/sample-captures.ts'
import { interfacesOf } from './fixtures/peer-interfaces.ts'

const url = 'http://a.test/page'
const body = '<!doctype html><title>archived</title><a href="/x">x</a>'
const stamps = ['20200101000000', '20210101000000', '20220101000000']

async function interfaces() {
  const store = await openStore()
  for (const year of [2020, 2021, 2022])
    await store.append(pageCapture(url, Date.UTC(year, 0), `${body}${year}`))
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-mementos-'))
  const { api, close } = await interfacesOf(storeArchive(store), store, folder)
  onTestFinished(async () => {
    await close()
    await rm(folder, { recursive: true })
  })
  return api
}

describe('the URI-M of a TimeMap', () => {
  test.each([
    ['a tool', {}],
    ['curl', { accept: '*/*' }],
    ['a script', { 'sec-fetch-dest': 'empty', accept: '*/*' }],
    ['a script that asks for HTML', { 'sec-fetch-dest': 'empty', accept: 'text/html' }],
    ['an image of a page', { 'sec-fetch-dest': 'image' }],
  ])('gives %s the archived resource, with its place among the others', async (_, headers) => {
    const api = await interfaces()
    const map = (await api.ask(`/timemap/link/${url}`)).text
    const [, address] = /<http:\/\/localhost:7070(\/web\/2021[^>]*)>/.exec(map)!
    const answer = await api.ask(address!, { headers })
    assert.deepEqual([answer.status, answer.text], [200, `${body}2021`])
    assert.equal(answer.headers['memento-datetime'], 'Fri, 01 Jan 2021 00:00:00 GMT')
    const link = answer.headers.link!
    assert.ok(
      link.includes(`<http://localhost:7070/web/${stamps[0]}/${url}>; rel="prev first memento"`),
      link,
    )
    assert.ok(
      link.includes(
        `<http://localhost:7070/web/${stamps[1]}id_/${url}>; rel="alternate"; title="raw memento"`,
      ),
    )
    assert.equal(answer.headers.vary, 'Accept, Sec-Fetch-Dest')
    // On the archive's own host, nothing of it may run.
    assert.match(answer.headers['content-security-policy']!, /^sandbox; default-src 'none'/)
  })

  test.each([
    ['a browser that goes there', { 'sec-fetch-dest': 'document', accept: '*/*' }],
    ['one that does not say so', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }],
  ])('gives %s the frame', async (_, headers) => {
    const api = await interfaces()
    const answer = await api.ask(`/web/${stamps[1]}/${url}`, { headers })
    assert.equal(answer.status, 200)
    assert.ok(!answer.text.startsWith(body) && answer.text.includes('<iframe'))
    assert.match(answer.headers.link!, /title="raw memento"/)
    // The frame speaks the reader's language.
    assert.equal(answer.headers.vary, 'Accept, Sec-Fetch-Dest, Accept-Language, Cookie')
  })

  test('leads tools on to the exact one, and is no script of the archive’s own pages', async () => {
    const api = await interfaces()
    const near = await api.ask(`/web/2021/${url}`)
    assert.deepEqual([near.status, near.headers.location], [302, `/web/${stamps[1]}/${url}`])
    const script = await api.ask(`/web/${stamps[1]}/${url}`, { headers: { 'sec-fetch-dest': 'script' } })
    assert.equal(script.status, 403)
    assert.equal((await api.ask(`/web/${stamps[1]}/http://a.test/missing`)).status, 404)
    const head = await api.ask(`/web/${stamps[1]}/${url}`, { method: 'HEAD' })
    assert.deepEqual([head.status, head.text], [200, ''])
  })
})

describe('an address of the archive without a time', () => {
  const asPage = { headers: { 'sec-fetch-dest': 'document', accept: 'text/html,*/*;q=0.8' } }

  test('leads people and tools to the newest version', async () => {
    const api = await interfaces()
    for (const options of [asPage, {}]) {
      const { status, headers } = await api.ask(`/web/${url}`, options)
      assert.deepEqual([status, headers.location], [302, `http://localhost:7070/web/${stamps[2]}/${url}`])
    }
  })

  test('says on a page that nothing is archived there, and offers to archive it', async () => {
    const api = await interfaces()
    const page = await api.ask('/web/http://nothing.test/', asPage)
    assert.equal(page.status, 404)
    assert.match(page.headers['content-type']!, /^text\/html/)
    assert.match(page.text, /Nobody has archived this address here yet/)
    assert.match(page.text, /nothing\.test/)
    const text = await api.ask('/web/http://nothing.test/')
    assert.deepEqual([text.status, text.text], [404, 'http://nothing.test/ is not in this archive.\n'])
  })
})
