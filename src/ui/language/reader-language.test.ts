import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { openStore } from '../../store/fixtures/open-store.ts'
import { pageCapture } from '../../store/fixtures/sample-captures.ts'
import { filledSite, job, Site, url } from '../fixtures/site.ts'
import { localeFor } from './reader-language.ts'

function languageOf(headers: Readonly<Record<string, string>>): string {
  return localeFor({ header: (name) => headers[name] }).language
}

describe('the language of a reader', () => {
  test.each([
    ['', 'en'],
    ['de', 'de'],
    ['de-AT', 'de'],
    ['en-US,en;q=0.9,de;q=0.8', 'en'],
    ['fr,de;q=0.5,en;q=0.4', 'de'],
    ['fr', 'en'],
    ['fr, *', 'en'],
    ['de;q=0, fr', 'en'],
    ['de;q=x', 'en'],
    ['DE', 'de'],
    [',;,;q=,', 'en'],
    [`${'x,'.repeat(1_000)}de`, 'en'],
  ])('%j asks for %s', (accepted, language) => {
    assert.equal(languageOf({ 'accept-language': accepted }), language)
  })

  test('what was chosen goes before what the browser asks for', () => {
    const accepted = { 'accept-language': 'de' }
    assert.equal(languageOf({ ...accepted, cookie: 'a=b; polyhistor-language=en' }), 'en')
    assert.equal(languageOf({ ...accepted, cookie: 'polyhistor-language=fr; x' }), 'de')
    assert.equal(languageOf({ ...accepted, cookie: 'polyhistor-language=__proto__' }), 'de')
  })
})

async function asked(site: Site, target: string, headers: Readonly<Record<string, string>>) {
  const answer = await site.ask(target, undefined, headers)
  const header = (name: string) => answer.headers.filter(([key]) => key === name).map(([, value]) => value)
  return { ...answer, header, markup: String(answer.body) }
}

describe('pages', () => {
  test('are in the language of their reader, and caches are told', async () => {
    const site = await filledSite()
    const german = await asked(site, '/', { 'accept-language': 'de' })
    assert.match(german.markup, /<html lang="de">/)
    assert.match(german.markup, /Das Web, wie es war/)
    assert.deepEqual(german.header('Content-Language'), ['de'])
    assert.deepEqual(german.header('Vary'), ['Accept-Language, Cookie'])
    const english = await asked(site, '/', {})
    assert.match(english.markup, /<html lang="en">/)
  })

  test('the bar is in it, the archived page and its address are what they are for everybody', async () => {
    const site = await filledSite()
    const target = `/web/20200103030405/${url}`
    const german = await asked(site, target, { 'accept-language': 'de' })
    assert.match(german.markup, /aria-label="Vorige Version: 2\. Jan\. 2020/)
    assert.deepEqual(german.header('Vary'), ['Accept, Sec-Fetch-Dest, Accept-Language, Cookie'])
    const memento = { accept: '*/*', 'sec-fetch-dest': 'image' }
    const bytes = [
      await asked(site, target, memento),
      await asked(site, target, { ...memento, 'accept-language': 'de' }),
    ]
    assert.equal(bytes[0]!.markup, bytes[1]!.markup)
    assert.deepEqual(bytes[0]!.headers, bytes[1]!.headers)
  })

  test.each([
    ['/sites', 'Dieses Archiv hat Seiten von <strong>2 Websites</strong>'],
    ['/site/a.example', 'Archivierte Seiten von'],
    ['/site/a.example?all=1', 'Alles Archivierte von'],
    ['/web/*/https://a.example/*', 'Adressen, die mit a.example beginnen'],
    [`/diff/20200102030405/20210205030405/${url}`, 'Spätere Version'],
    ['/web/*/https://nothing.example/', 'Noch hat niemand diese Adresse hier archiviert.'],
    ['/jobs/none', 'Einen solchen Crawl gibt es hier nicht.'],
    ['/web/*/https://no host.example/', 'Das ist keine ganze Webadresse'],
    ['/web/99991399/https://a.example/page?x=1', 'Der Zeitpunkt in dieser Adresse ist keiner'],
    ['/plan?pages=-1', 'Seiten muss eine Zahl von 0,001 bis 1.000.000 sein (Millionen).'],
  ])('%s in German', async (target, words) => {
    const { markup } = await asked(await filledSite(), target, { 'accept-language': 'de' })
    assert(markup.includes(words), markup.slice(0, 4_000))
  })

  test('advice on a crawl that failed is in the language of its reader', async () => {
    const site = await filledSite()
    const missing = { code: 'address-forbidden', words: '', count: 1, seeds: 1, url, reason: '' }
    site.job = { ...job, state: 'done', outcome: 'nothing', missing: [missing], advice: 'Allow it.' }
    const { markup } = await asked(site, '/jobs/abc', { 'accept-language': 'de' })
    assert.match(markup, /Was Sie tun können:<\/strong> Rechner Ihres eigenen Netzes/)
    assert.doesNotMatch(markup, /<span lang="en">/)
  })

  test('sentences of other layers are marked as English, for who has them read out', async () => {
    const site = await filledSite()
    site.trouble = 'The disk is full.'
    const { markup } = await asked(site, '/jobs', { 'accept-language': 'de' })
    assert.match(
      markup,
      /<strong>Zurzeit wird nichts gecrawlt\.<\/strong> <span lang="en">The disk is full\.<\/span>/,
    )
    assert.doesNotMatch((await asked(site, '/jobs', {})).markup, /<span lang/)
  })
})

describe('the link at the foot', () => {
  test('leads to the other language, sets a cookie, and comes back', async () => {
    const site = await filledSite()
    assert.match(
      (await asked(site, '/sites', {})).markup,
      /<a href="\/language\/de" lang="de" rel="nofollow">Deutsch<\/a>/,
    )
    assert.match(
      (await asked(site, '/sites', { 'accept-language': 'de' })).markup,
      /<a href="\/language\/en" lang="en"/,
    )
    const { status, header } = await asked(site, '/language/de', {
      referer: 'http://localhost:7070/sites?q=a',
    })
    assert.deepEqual([status, header('Location')], [303, ['/sites?q=a']])
    const [cookie = ''] = header('Set-Cookie')
    assert.match(cookie, /; Path=\/; Max-Age=\d+; SameSite=Lax; HttpOnly$/)
    assert.match((await asked(site, '/', { cookie: cookie.split(';', 1)[0]! })).markup, /<html lang="de">/)
  })

  test.each([
    undefined,
    'https://elsewhere.example/x',
    'http://localhost:7070//elsewhere.example/',
    'http://localhost:7070/\\elsewhere.example/',
    'http://localhost:7070/language/de',
    'not a URL',
  ])('from %s it leads home, and never to another host', async (referer) => {
    const site = await filledSite()
    const { header } = await asked(site, '/language/en', referer === undefined ? {} : { referer })
    assert.deepEqual(header('Location'), ['/'])
  })
})

test('titles from right to left do not disturb what stands beside them', async () => {
  const store = await openStore()
  const title = 'שלום (עולם)'
  await store.append(pageCapture('https://rtl.example/', Date.UTC(2020, 0, 2), `<title>${title}</title><p>x`))
  await store.append(pageCapture('https://rtl.example/', Date.UTC(2020, 0, 3), `<title>${title}</title><p>y`))
  const site = new Site(store)
  for (const target of ['/', '/sites', '/site/rtl.example']) {
    const { markup } = await asked(site, target, {})
    assert(markup.includes(`<bdi class="page-title">${title}</bdi>`), target)
  }
  const compared = await asked(site, '/diff/20200102000000/20200103000000/https://rtl.example/', {})
  assert(compared.markup.includes(`<bdi>${title}</bdi>`))
})
