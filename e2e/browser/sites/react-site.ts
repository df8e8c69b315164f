// A single-page application in React: routes, code that is loaded by route, data as JSON.

import { json } from '../../replay/files.ts'
import type { Answers } from '../../replay/origin-web.ts'
import { builtSite } from './built-site.ts'
import { numbered } from './drawings.ts'
import type { RealSite } from './real-site.ts'

const ids = [1, 2, 3, 4, 5, 6, 7, 8]
const title = (id: number) => `Book number ${id}`

export async function reactSite(): Promise<RealSite> {
  const built = await builtSite('react', 'react')
  return {
    name: 'react',
    what: 'React: routes, code loaded by route, data as JSON by fetch and XMLHttpRequest',
    packages: ['react', 'react-dom', 'react-router'],
    views: [
      { path: '/', until: "document.querySelectorAll('.shelf img').length === 8" },
      {
        path: '/',
        until: "document.querySelectorAll('.shelf img').length === 8",
        act: `document.querySelector('a[href$="/books/3"]').click()`,
        untilActed: "document.querySelector('.book')?.dataset.id === '3' && document.images[0].complete",
      },
      { path: '/books/5', until: "document.querySelector('.book')?.dataset.id === '5'" },
    ],
    answers: () => {
      const answers: Record<string, Answers[string]> = { ...built }
      answers['react/api/books.json'] = json(JSON.stringify(ids.map((id) => ({ id, title: title(id) }))))
      for (const id of ids) {
        const book = {
          title: title(id),
          text: `What stands in it. `.repeat(10 * id),
          picture: `/pictures/${id * 7}.svg`,
        }
        answers[`react/books/${id}`] = built['react/']!
        answers[`react/covers/${id}.svg`] = numbered(id)
        answers[`react/pictures/${id * 7}.svg`] = numbered(id * 7, 320, 240)
        answers[`react/api/books/${id}.json`] = json(JSON.stringify(book))
      }
      return answers
    },
  }
}
