// Every text of every screen is in the catalogue, and in the catalogue of every language.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { adviceOn, missingParts } from '../../crawl/jobs/job-outcome.ts'
import { consoleScreens } from '../fixtures/console-screens.ts'
import { manyScreens } from '../fixtures/many-screens.ts'
import { markedLocale, unmarkedWords } from '../fixtures/marked-locale.ts'
import { localeFor } from '../language/reader-language.ts'
import { Layout } from '../markup/layout.ts'
import { adviceWords } from '../screens/jobs/job-outcome.ts'
import { type VolunteerView, volunteerPage } from '../screens/volunteer.ts'
import { missingTexts } from './missing.ts'

const german = localeFor({ header: (name) => (name === 'accept-language' ? 'de' : undefined) })
const layout = new Layout({ pathOf: (entry) => `/assets/${entry}`, file: () => undefined }, () => true)

const screens = [...manyScreens, ...(await consoleScreens())]

const volunteer: VolunteerView = {
  ...{ leaders: 2, pause: undefined, pages: 3, bytes: 4_000, bundles: 1, memoryBytes: 95e6 },
  ...{ best: { rank: 1, of: 2, score: 0.5, state: 'proven' }, release: '9', now: ['', 'https://a.example/'] },
  limits: {
    ...{ up: 1_000, down: null, cpu: 0.5, hours: { from: 22, to: 6 }, isStopped: false },
    ...{ pausesOnBattery: true, isMetered: false, pausesWhenBusy: true },
  },
}

describe('screens have no words of their own', () => {
  test.each(screens)('%s', (_, screen) => {
    assert.deepEqual(unmarkedWords(layout.page(screen).in(markedLocale)), [])
  })

  test('the page of a volunteer', () => {
    for (const pause of [undefined, 'hours'] as const)
      assert.deepEqual(unmarkedWords(volunteerPage({ ...volunteer, pause }).in(markedLocale)), [])
  })

  test('a word in a page or in an attribute that readers meet is found', () => {
    const page = (body: string) => unmarkedWords(`<p title="Ａ">${body}</p>`)
    assert.deepEqual(page('Ｂ <b>word</b> <bdi>foreign <i>too</i></bdi>'), ['word'])
    assert.deepEqual(page('<input placeholder="here" value="data"><span lang="en">said</span>'), ['here'])
  })
})

test('advice on a crawl is told in German, but for what this peer lacks', () => {
  for (const code of Object.keys(missingTexts)) {
    const missed = { [code]: { count: 1, seeds: 1, url: '', reason: 'why' } }
    const advice = adviceOn(missed)
    if (advice === undefined) continue
    const words = adviceWords(missingParts(missed), advice)
    assert.equal(String(words), advice, code)
    assert.equal(/lang="en"/.test(words.in(german)), code === 'no-browser', code)
  }
})

test('reasons that a crawl tells are the same in its own words and on English pages', () => {
  for (const code of Object.keys(missingTexts) as (keyof typeof missingTexts)[]) {
    const [told] = missingParts({ [code]: { count: 1, seeds: 0, url: '', reason: '' } })
    assert.equal(String(missingTexts[code]), told!.words, code)
  }
})
