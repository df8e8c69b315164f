import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { headerOf, noonMs, ReplayedStore } from './fixtures/replayed-store.ts'

const second = 1_000
const day = 86_400_000

/** What an address leads to: status and place, or the body. */
async function shown(archive: ReplayedStore, target: string): Promise<string> {
  const answer = await archive.ask(target)
  if (answer.status === 302) return headerOf(answer, 'location')!
  return answer.status === 200 ? String(await archive.text(target)) : String(answer.status)
}

async function threeVersions(): Promise<ReplayedStore> {
  const archive = await ReplayedStore.open()
  await archive.keep(
    { url: 'http://a.org/', at: noonMs - 10 * day, type: 'text/plain', body: 'first' },
    { url: 'http://a.org/', at: noonMs, type: 'text/plain', body: 'second' },
    { url: 'http://a.org/', at: noonMs + day, type: 'text/plain', body: 'third' },
  )
  return archive
}

describe('the capture that is meant', () => {
  test('of another time is redirected to, nearest first, at its own time', async () => {
    const archive = await threeVersions()
    assert.equal(
      await shown(archive, '/web/20191231mp_/http://a.org/'),
      '/web/20200101120000mp_/http://a.org/',
    )
    assert.equal(
      await shown(archive, '/web/20191223mp_/http://a.org/'),
      '/web/20191222120000mp_/http://a.org/',
    )
    assert.equal(await shown(archive, '/web/1mp_/http://a.org/'), '/web/20191222120000mp_/http://a.org/')
    assert.equal(await shown(archive, '/web/mp_/http://a.org/'), '/web/20200102120000mp_/http://a.org/')
    assert.equal(await shown(archive, '/web/20200101120000mp_/http://a.org/'), 'second')
  })

  test('is at one address only: others lead there, or its relative links would lead astray', async () => {
    const archive = await threeVersions()
    const own = '/web/20200101120000mp_/http://a.org/'
    for (const written of ['http://a.org', 'http:/a.org/', 'a.org', 'http%3A%2F%2Fa.org%2F']) {
      assert.equal(await shown(archive, `/web/20200101120000mp_/${written}`), own)
    }
    assert.equal(await shown(archive, '/web/20200101120000id_/http://a.org'), 'second')
    assert.equal(await shown(archive, '/web/20200101120000im_/http://a.org'), 'second')
  })

  test('of two equally near, the earlier', async () => {
    const archive = await threeVersions()
    assert.equal(
      await shown(archive, '/web/20200102000000mp_/http://a.org/'),
      '/web/20200101120000mp_/http://a.org/',
    )
    assert.equal(
      await shown(archive, '/web/20200102000001mp_/http://a.org/'),
      '/web/20200102120000mp_/http://a.org/',
    )
  })

  test('is never newer with Herodotus’ policy', async () => {
    const archive = await threeVersions()
    const at = (digits: string) => shown(archive, `/web/${digits}mp_/http://a.org/?policy=not-newer`)
    assert.equal(await at('20200102115959'), '/web/20200101120000mp_/http://a.org/')
    assert.equal(await at('20191222115959'), '404')
  })

  test('is found in its own second, whatever the milliseconds', async () => {
    const archive = await ReplayedStore.open()
    await archive.keep(
      { url: 'http://a.org/', at: noonMs - 300, type: 'text/plain', body: 'before' },
      { url: 'http://a.org/', at: noonMs + 900, type: 'text/plain', body: 'within' },
    )
    assert.equal(await shown(archive, '/web/20200101120000mp_/http://a.org/'), 'within')
    assert.equal(await shown(archive, '/web/20200101115959mp_/http://a.org/'), 'before')
  })

  test('is the page, not the redirect from another spelling of its URL in the same visit', async () => {
    const archive = await ReplayedStore.open()
    await archive.keep(
      { url: 'http://a.org/', at: noonMs, status: 301, headers: ['Location: https://www.a.org/'] },
      { url: 'https://a.org/', at: noonMs + 100, status: 301, headers: ['Location: https://www.a.org/'] },
      { url: 'https://www.a.org/', at: noonMs + 2 * second, type: 'text/plain', body: 'page' },
    )
    assert.equal(await shown(archive, '/web/20200101120002mp_/https://www.a.org/'), 'page')
    // The page lies two seconds off, the redirect of the other spelling right here.
    assert.equal(
      await shown(archive, '/web/20200101120000mp_/https://www.a.org/'),
      '/web/20200101120002mp_/https://www.a.org/',
    )
    const answer = await archive.ask('/web/20200101120000mp_/http://a.org/')
    assert.deepEqual(
      [answer.status, headerOf(answer, 'location')],
      [301, '/web/20200101120000mp_/https://www.a.org/'],
    )
  })

  test('is of the spelling that was asked for, where a visit took both', async () => {
    const archive = await ReplayedStore.open()
    await archive.keep(
      { url: 'http://a.org/', at: noonMs, type: 'text/plain', body: 'plain' },
      { url: 'https://a.org/', at: noonMs + 500, type: 'text/plain', body: 'secure' },
      { url: 'http://www.a.org/', at: noonMs + 20 * second, type: 'text/plain', body: 'www' },
    )
    assert.equal(await shown(archive, '/web/20200101120000mp_/http://a.org/'), 'plain')
    assert.equal(await shown(archive, '/web/20200101120000mp_/https://a.org/'), 'secure')
    assert.equal(
      await shown(archive, '/web/20200101115950mp_/http://www.a.org/'),
      '/web/20200101120020mp_/http://www.a.org/',
    )
    assert.equal(
      await shown(archive, '/web/20200101115950mp_/https://www.a.org/'),
      '/web/20200101120000mp_/https://www.a.org/',
    )
  })

  test('a redirect to itself is said to be one, not followed for ever', async () => {
    const archive = await ReplayedStore.open()
    await archive.keep({ url: 'http://a.org/', status: 301, headers: ['Location: https://a.org/'] })
    const answer = await archive.ask('/web/20200101120000mp_/https://a.org/')
    assert.deepEqual([answer.status, headerOf(answer, 'x-polyhistor-error')], [508, 'replay-redirect-loop'])
  })

  test('embedded parts are answered where they are asked for, and say where they belong', async () => {
    const archive = await threeVersions()
    const answer = await archive.ask('/web/20191231000000im_/http://a.org/')
    assert.equal(answer.status, 200)
    assert.equal(headerOf(answer, 'content-location'), '/web/20200101120000im_/http://a.org/')
    assert.equal(headerOf(answer, 'memento-datetime'), 'Wed, 01 Jan 2020 12:00:00 GMT')
  })
})
