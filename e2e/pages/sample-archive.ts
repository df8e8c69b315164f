// An archive to look at: a newspaper's front page over the years, a page in Arabic, and pages that mean harm.

import { pageCapture } from '../../src/store/fixtures/sample-captures.ts'
import type { Store } from '../../src/store/store.ts'

export const paper = 'https://paper.example/'
export const busy = 'https://busy.example/'
export const arabic = `https://ar.example/${encodeURI('الأخبار/اليوم')}`
export const hostileTitle = `</title><script>parent.harm = 1</script><img src=x onerror="harm = 1">`
/** A URL can hold quotes, tags and whatever else a template could trip over. */
export const hostileUrl = `https://hostile.example/?q="><script>harm=1</script>&'onmouseover='harm=1`
export const endless = `https://long.example/${'a-very-long-name-of-a-folder/'.repeat(60)}?${'parameter=value&'.repeat(40)}`

const headlines = [
  'Harbour bridge opens after nine years',
  'Council votes to keep the night trains',
  'Flood: what we know so far',
  'The library that lends tools',
  'Schools to start later in winter',
  'Who owns the river?',
]

export function frontPage(edition: number): string {
  const lead = headlines[edition % headlines.length]!
  const others = headlines.map((_, index) => headlines[(edition + index) % headlines.length]!).slice(1, 5)
  const hue = 200 + (edition % 4) * 30
  return `<!doctype html><html lang="en"><head><title>The Paper</title><style>
body{margin:0 auto;max-width:60rem;padding:2rem;font:18px/1.5 Georgia,serif;color:#222}
header{border-bottom:4px double #222;margin-bottom:2rem;text-align:center}
h1{font-size:3rem;margin:.2em}.lead{background:hsl(${hue} 40% 92%);padding:1.5rem}
.grid{display:grid;grid-template-columns:1fr 1fr;gap:2rem}</style></head><body>
<header><h1>The Paper</h1><p>Edition ${edition}</p></header>
<article class="lead"><h2>${lead}</h2><p>The decision came late on ${['Monday', 'Tuesday', 'Friday'][edition % 3]}, after ${20 + edition} hours of talks. Residents said they had waited long enough.</p>
<p><a href="/story/${edition}">Read the whole story</a></p></article>
<div class="grid">${others.map((headline, index) => `<article><h3>${headline}</h3><p>More on this from our correspondent. Nothing else is known at this time.</p><p><a href="/story/${headline.length}-${index}">More</a></p></article>`).join('')}</div>
<footer><p>Published daily except Sundays. <a href="/contact">Contact</a> · <a href="https://partner.example/">Partner</a></p></footer>
</body></html>`
}

/** Some years of a front page: often unchanged, at times broken. */
export async function fillPaper(store: Store): Promise<void> {
  const captures = []
  let edition = 0
  for (let index = 0; index < 420; index++) {
    const atMs = Date.parse('2019-03-02T08:11:09Z') + index * 6.37 * 86_400_000 + (index % 7) * 3_600_000
    if (atMs > Date.parse('2026-06-30')) break
    if (index % 3 === 0) edition++
    const status = index % 41 === 7 ? 503 : index % 53 === 9 ? 404 : index % 37 === 20 ? 301 : 200
    captures.push(
      pageCapture(paper, atMs, status === 200 ? frontPage(edition) : `<h1>${status}</h1>`, { status }),
    )
    if (index % 11 === 0) {
      captures.push(pageCapture(paper, atMs + 3_600_000, frontPage(edition), {}))
      captures.push(pageCapture(paper, atMs + 7_200_000, frontPage(++edition), {}))
    }
  }
  for (const capture of captures) await store.append(capture)
  for (let story = 0; story < 130; story++) {
    await store.append(
      pageCapture(`${paper}story/${story}`, Date.parse('2021-01-01') + story * 8_640_000, frontPage(story)),
    )
  }
}

export async function fillOddities(store: Store): Promise<void> {
  const atMs = Date.parse('2024-05-06T07:08:09Z')
  await store.append(
    pageCapture(
      arabic,
      atMs,
      `<html dir="rtl"><title>الأخبار اليوم</title><h1>الأخبار اليوم</h1><p>خبر قديم من المدينة</p>`,
    ),
  )
  await store.append(
    pageCapture(
      arabic,
      atMs + 86_400_000,
      `<html dir="rtl"><title>الأخبار اليوم</title><h1>الأخبار اليوم</h1><p>خبر جديد من المدينة</p>`,
    ),
  )
  await store.append(pageCapture(endless, atMs, '<title>Long</title><p>Long'))
  await store.append(
    pageCapture(
      hostileUrl,
      atMs,
      `<title>${hostileTitle}</title><p>${hostileTitle}</p><a href="javascript:harm=1">click</a><a href='${hostileUrl}'>"><script>harm=1</script></a>`,
    ),
  )
  await store.append(
    pageCapture(
      hostileUrl,
      atMs + 1_000_000,
      `<title>&lt;script&gt;harm=1&lt;/script&gt;</title><p>&lt;script&gt;harm=1&lt;/script&gt; changed</p>`,
    ),
  )
}

/** Ten thousand captures of one URL. */
export async function fillBusy(store: Store, count = 10_000): Promise<void> {
  const startMs = Date.parse('2016-01-01')
  const stepMs = (Date.parse('2026-11-01') - startMs) / count
  for (let start = 0; start < count; start += 500) {
    const some = Array.from({ length: Math.min(500, count - start) }, (_, index) => start + index)
    await Promise.all(
      some.map((index) =>
        store.append(
          pageCapture(
            busy,
            Math.round(startMs + index * stepMs),
            `<title>Busy</title><p>${Math.floor(index / 5)}`,
          ),
        ),
      ),
    )
  }
}
