import { test } from 'vitest'
import { type PageVersion, versionDifference } from './page-change.ts'

const version = (text: string): PageVersion => ({
  text,
  bytes: text.length,
  contentType: 'text/html',
  url: 'https://a.example/',
  capturedAtMs: 0,
})

test.each([
  ['open tags', '<div>'],
  ['attributes', '<a '.concat('b=c '.repeat(9))],
  ['paragraphs with classes', '<p class=x1 id=y2>12:30 1234 €'],
  ['quotes in scripts', '<script>"\'"\'</script>'],
])('a megabyte of nothing but %s is compared in one go', (_, piece) => {
  const text = piece.repeat(1_000_000 / piece.length)
  versionDifference(version(text), version(`x${text}y`))
})
