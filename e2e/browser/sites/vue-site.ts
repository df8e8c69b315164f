// A single-page application in Vue: routes, templates compiled in the page, data as JSON by query.

import { json } from '../../replay/files.ts'
import type { Answers } from '../../replay/origin-web.ts'
import { builtSite } from './built-site.ts'
import { numbered } from './drawings.ts'
import type { RealSite } from './real-site.ts'

const names = ['robin', 'wren', 'swift', 'crane', 'stork', 'heron', 'raven', 'owl']
const birds = names.map((name, at) => ({ name, size: 9 + at * 11 }))

export async function vueSite(): Promise<RealSite> {
  const built = await builtSite('vue', 'vue')
  return {
    name: 'vue',
    what: 'Vue: routes, templates compiled in the page, data as JSON by query',
    packages: ['vue', 'vue-router'],
    views: [
      { path: '/', until: "document.querySelector('table')?.dataset.count === '8'" },
      {
        path: '/',
        until: "document.querySelector('table')?.dataset.count === '8'",
        act: `document.querySelector('a[href$="/bird/crane"]').click()`,
        untilActed:
          "document.querySelector('article')?.dataset.name === 'crane' && document.images[0].complete",
      },
      { path: '/bird/owl', until: "document.querySelector('article')?.dataset.name === 'owl'" },
    ],
    answers: () => {
      const answers: Record<string, Answers[string]> = { ...built }
      for (const page of [1, 2])
        answers[`vue/api/birds?page=${page}&limit=4`] = json(
          JSON.stringify(birds.slice(4 * page - 4, 4 * page)),
        )
      for (const name of names) {
        const markup = `The ${name} <b>in a picture</b>: <img src="/large/${name}.svg" width="400" height="300">`
        answers[`vue/bird/${name}`] = built['vue/']!
        answers[`vue/birds/${name}.svg`] = numbered(name)
        answers[`vue/large/${name}.svg`] = numbered(`${name}!`, 400, 300)
        answers[`vue/api/bird?name=${name}`] = json(JSON.stringify({ name, markup }))
      }
      return answers
    },
  }
}
