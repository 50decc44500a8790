// Figures in a text that somebody may have to keep: times, dates, prices, amounts, codes, addresses.

const PATTERNS = {
  clock:
    /(?<![\d.,])\d{1,2}\s?[:h]\s?[0-5]\d(?!\d)|(?<![\d.,])\d{1,2}(?:[.:][0-5]\d)?\s?(?:am|pm|a\.m|p\.m|hs?|uhr|heures|baje|बजे)(?![\p{L}\d])|(?:الساعة|ساعة)\s?\d/iu,
  date: /(?<!\d)\d{1,2}(?:st|nd|rd|th)(?!\p{L})|(?<!\d)\d{1,2}\s(?:de\s)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ene|abr|ago|dic|fev|mai|set|out|dez|okt|tarikh|tareekh|मार्च|अप्रैल|مارس)|(?<![\d/])\d{1,2}[/.-]\d{1,2}(?:[/.-]\d{2,4})?(?![\d/])/iu,
  price:
    /[$€£₹¥]\s?\d|\d\s?[€£₹$]|\d\s?(?:k|rs|inr|eur|euros?|pounds?|quid|usd|dollars?|reais|rupees|rupaye|lakh|hazaar|hazar|रुपये|रुपए|درهم|ريال|دينار|جنيه|يورو|ليرة)(?!\p{L})/iu,
  amount:
    /\d\s?(?:%|x(?!\p{L})|kgs?|kilos?|gms?|gr|g|l|lt|ml|litres?|liters?|litros?|km|min|mins|minutes|minutos|hours?|hrs?|horas|ghante|pax|people|personas|pessoas|leute|log|logo|guests|covers|portions|plates|boxes|cajas|caixas|bottles|packets?|pcs|seats?|days?|dias|din|nights|كيلو|شخص|اشخاص|أشخاص|دقيقة|دقايق|علبة|लोग|किलो)(?!\p{L})/iu,
  code: /(?<![\p{L}\d])(?=[A-Z0-9-]{0,20}[A-Z])(?=[A-Z0-9-]{0,20}\d)[A-Z0-9]{2,}(?:-[A-Z0-9]+)*(?![\p{L}\d])|(?<![\p{L}\d])[A-Z]{2}\s\d{2,4}(?!\d)/u,
  phone: /(?<!\d)\+?\d[\d\s()-]{7,}\d/u,
  link: /https?:\/\/\S|www\.\S/iu,
  mailbox: /(?<![\w.-])[\w.-]+@[\w-]+\.\w/u,
  number: /\p{Nd}/u,
} as const satisfies Record<string, RegExp>;

export type Figure = keyof typeof PATTERNS;

export const FIGURES = Object.keys(PATTERNS) as readonly Figure[];

export const hasFigure = (text: string, figure: Figure): boolean => PATTERNS[figure].test(text);
