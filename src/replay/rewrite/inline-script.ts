// Inline scripts: what stands in a script element, by its type; in XML also within CDATA or with character references.

import { rewriteImportMap } from './manifest-rewriter.ts'
import { rewriteScript, type ScriptContext } from './script-rewriter.ts'

/** `data`: whatever the browser does not run: templates, JSON. */
type ScriptForm = 'classic' | 'module' | 'import-map' | 'data'

const classicTypes = /^(?:(?:text|application)\/(?:x-)?(?:java|ecma|live|j)script[\d.]*)?(?:;.*)?$/i

export function scriptFormOf(type: string): ScriptForm {
  const trimmed = type.trim()
  if (classicTypes.test(trimmed)) return 'classic'
  const lower = trimmed.toLowerCase()
  if (lower === 'module') return 'module'
  return lower === 'importmap' ? 'import-map' : 'data'
}

export function rewriteInlineScript(
  text: string,
  form: Exclude<ScriptForm, 'data'>,
  context: ScriptContext,
  isXml: boolean,
): string {
  const rewrite = (script: string): string =>
    form === 'import-map'
      ? rewriteImportMap(script, context.rewriteLink)
      : rewriteScript(script, form, context)
  if (!isXml) return safeInScript(rewrite(text))
  const cdata = /^([\s/*]*<!\[CDATA\[[ \t]*(?:\*\/)?)([\s\S]*?)((?:\/[/*])?[ \t]*\]\]>[\s/*]*)$/.exec(text)
  if (cdata !== null) {
    const [, before = '', inside = '', after = ''] = cdata
    const rewritten = rewrite(inside)
    // On a line of its own, for the mark may stand behind `//`.
    return rewritten === inside ? text : `${before}\n${rewritten}${after}`
  }
  const decoded = text.replace(/&(?:amp|lt|gt|quot|apos);/g, (reference) => characters[reference]!)
  const rewritten = rewrite(decoded)
  return rewritten === decoded
    ? text
    : rewritten.replace(/[&<]/g, (character) => (character === '&' ? '&amp;' : '&lt;'))
}

const characters: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
}

/** What JSON is printed anew must not end the element it stands in. */
function safeInScript(text: string): string {
  return text.replace(/<\/(?=script)/gi, '<\\/')
}
