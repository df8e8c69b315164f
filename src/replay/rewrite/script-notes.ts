// Script notes: what a script scanner found in a script that concerns replay, as places in its text.

import type { ScopeName } from './script-names.ts'

export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A `let`, `const` or `class` at the top of a script. */
export interface TopDeclaration {
  readonly kind: 'let' | 'const' | 'class'
  readonly start: number
  readonly names: string[]
  /** Of a class: just past its body. */
  end: number
}

/** A module that another one names: the place of its specifier, without quotes. */
interface Specifier {
  readonly start: number
  readonly end: number
}

export interface ScriptNotes {
  readonly used: Set<ScopeName>
  /** Declared by `var` outside of functions, or imported: these must not be declared again around the script. */
  readonly taken: Set<string>
  readonly declarations: TopDeclaration[]
  /** Of functions at the top. */
  readonly functions: string[]
  readonly specifiers: Specifier[]
  /** Bare `this`, as a value. */
  readonly thisPlaces: number[]
  /** Just past the `=` of `location =`. */
  readonly locationPlaces: number[]
  /** From the word to just past its parenthesis. */
  readonly evalPlaces: Edit[]
  readonly importPlaces: Edit[]
  /** `import.meta.url` */
  readonly metaUrlPlaces: Edit[]
  isModule: boolean
  isBalanced: boolean
}

export function newScriptNotes(): ScriptNotes {
  return {
    used: new Set(),
    taken: new Set(),
    declarations: [],
    functions: [],
    specifiers: [],
    thisPlaces: [],
    locationPlaces: [],
    evalPlaces: [],
    importPlaces: [],
    metaUrlPlaces: [],
    isModule: false,
    isBalanced: true,
  }
}
