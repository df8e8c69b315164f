import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { interfacesOf, sharedStoreOf } from './fixtures/test-archive.ts'

const url = 'http://a.test/x?y=1'
const archive = sharedStoreOf([
  { url, at: '2010' },
  { url, at: '2015', status: 404 },
  { url, at: '2020' },
])
const asked = encodeURIComponent(url)

describe('availability', () => {
  test('names the newest version, or the one closest to a time', async () => {
    const api = interfacesOf(archive())
    const closest = async (query: string) =>
      JSON.parse((await api.ask(`/wayback/available?${query}`)).text).archived_snapshots.closest
    assert.deepEqual(await closest(`url=${asked}`), {
      available: true,
      url: `http://localhost:7070/web/20200101000000/${url}`,
      timestamp: '20200101000000',
      status: '200',
    })
    assert.equal((await closest(`url=${asked}&timestamp=2009`)).timestamp, '20100101000000')
    assert.equal((await closest(`url=a.test/x?y=1&timestamp=20190101`)).timestamp, '20200101000000')
  })

  test('passes over error pages', async () => {
    const api = interfacesOf(archive())
    const { text } = await api.ask(`/wayback/available?url=${asked}&timestamp=20150102`)
    assert.equal(JSON.parse(text).archived_snapshots.closest.timestamp, '20200101000000')
  })

  test('has nothing to show for what is not there', async () => {
    const { text } = await interfacesOf(archive()).ask('/wayback/available?url=b.test')
    assert.equal(text, '{"archived_snapshots":{}}\n')
  })

  test('calls back, by a name that is a name', async () => {
    const api = interfacesOf(archive())
    const answer = await api.ask(`/wayback/available?url=b.test&callback=my.show`)
    assert.equal(answer.text, '/**/my.show({"archived_snapshots":{}});\n')
    assert.equal(answer.headers['content-type'], 'application/javascript; charset=utf-8')
    for (const name of ['alert(1)//', 'a b', '', '<script>', 'a.', '1a', 'a'.repeat(65)]) {
      const bad = await api.ask(`/wayback/available?url=b.test&callback=${encodeURIComponent(name)}`)
      assert.equal(bad.status, 400, name)
      assert.match(bad.text, /the name of a function/)
    }
  })

  test.each([
    ['', 'Say which page'],
    ['url=', 'Say which page'],
    ['url=mailto:x', 'only http and https'],
    [`url=${asked}&timestamp=x`, '1 to 14 digits'],
    [`url=${asked}&timestamp=20201301`, 'no such date'],
  ])('%s is a 400 that says why', async (query, sentence) => {
    const answer = await interfacesOf(archive()).ask(`/wayback/available?${query}`)
    assert.equal(answer.status, 400)
    assert.ok(answer.text.includes(sentence), answer.text)
  })
})
