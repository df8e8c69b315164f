// What was typed into a field that takes both: the address of a page, or words to look for.

const fields = /(?:^|\s)-?(?:site|url|title|lang|type|before|after|at):/i
const quoted = /["“”]/

/** Where both are possible (`localhost`), an address has a dot, a slash or a port. */
export function areWords(typed: string): boolean {
  const text = typed.trim()
  if (text === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return false
  if (fields.test(text) || quoted.test(text) || /\s/.test(text)) return true
  return !/[./:*]/.test(text) && text.toLowerCase() !== 'localhost'
}
