import * as z from 'zod';
import { maxValueBytes, valueProblem } from './secret-rules.ts';

/** Any well-formed Unicode of 0 to 64 KiB in UTF-8, including control characters and NUL; returned byte for byte. */
export const SecretValue = z
  .string()
  .superRefine((value, context) => {
    const message = valueProblem(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .meta({ maxLength: maxValueBytes });
