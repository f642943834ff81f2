// /static/app/words.js, which the server makes of tables that its other surfaces read too: words.py.
export const DIGITS: [least: number, digits: number][];
export const DOES: Record<string, string>;
export const DOUBTFUL: string;
export const EFFORTS: string[];
export const FATES: Record<Schemas["Minority"]["fate"], string>;
export const LEAVES: string;
export const LEVELS: Record<"agree" | "differ", number>;
export const MAX_CONTEXT: number;
export const MAX_FILE: number;
export const MAX_PICTURE: number;
export const MAX_PICTURES: number;
export const NOT_THERE: string;
export const PANEL_ROLES: string[];
export const REASONS: Record<string, Record<string, string>>;
export const STATUSES: Schemas["Status"][];
export const TITLES: Record<string, string>;
